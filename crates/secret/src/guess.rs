//! Whether a password is one that anybody may guess: a default, a common word, a row of characters, or the name of its
//! user. Text in, a verdict out.

/// Words that guessable passwords are made of, beside the names around them.
const WORDS: &[&str] = &[
    "abc",
    "abcd",
    "abcde",
    "abcdef",
    "abcdefg",
    "access",
    "admin",
    "administrator",
    "airflow",
    "api",
    "app",
    "asdf",
    "auth",
    "backup",
    "bar",
    "baz",
    "bootstrap",
    "bot",
    "ca",
    "cert",
    "change",
    "ci",
    "client",
    "cluster",
    "cookie",
    "database",
    "db",
    "debug",
    "default",
    "demo",
    "dev",
    "development",
    "docker",
    "easy",
    "efghij",
    "elastic",
    "example",
    "fake",
    "foo",
    "for",
    "grafana",
    "guest",
    "harbor",
    "hello",
    "hoge",
    "home",
    "in",
    "initial",
    "insecure",
    "internal",
    "it",
    "jenkins",
    "jupyter",
    "jwt",
    "keycloak",
    "keystore",
    "kubernetes",
    "let",
    "local",
    "login",
    "long",
    "mariadb",
    "manager",
    "master",
    "me",
    "minio",
    "mongo",
    "mongodb",
    "my",
    "mysql",
    "new",
    "not",
    "now",
    "only",
    "openshift",
    "operator",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "pg",
    "pin",
    "postgres",
    "postgresql",
    "private",
    "public",
    "pw",
    "pwd",
    "qwe",
    "qwerty",
    "rabbitmq",
    "random",
    "read",
    "redhat",
    "redis",
    "replication",
    "replicator",
    "root",
    "salt",
    "secret",
    "secrets",
    "secure",
    "seed",
    "server",
    "service",
    "shared",
    "some",
    "sql",
    "staging",
    "strong",
    "super",
    "superset",
    "superuser",
    "svc",
    "system",
    "temp",
    "temporary",
    "test",
    "testing",
    "the",
    "then",
    "this",
    "tmp",
    "token",
    "truststore",
    "user",
    "vagrant",
    "very",
    "wait",
    "welcome",
    "word",
    "wordpress",
    "workshop",
    "world",
    "you",
];

/// Whether a value is made of common words, digits and the names around it: the key, the object, other values beside it.
pub fn is_guessable(value: &str, names: &[&str]) -> bool {
    const LONGEST: usize = 64;
    let value = value.trim().trim_matches(['"', '\'']);
    if value.is_empty() || value.len() > LONGEST {
        return false;
    }
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        return is_row(value) || value.len() < 7;
    }
    let plain = value
        .to_ascii_lowercase()
        .replace('@', "a")
        .replace('$', "s");
    let mut known: Vec<String> = names.iter().flat_map(|name| words(name)).collect();
    known.retain(|word| word.len() > 1);
    // Digits may stand for letters, or follow a word.
    let leet = plain.replace('0', "o").replace('3', "e").replace('5', "s");
    [plain, leet].iter().any(|text| {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let chunks = text.split(|c: char| !c.is_ascii_alphabetic());
        let mut chunks = chunks.filter(|chunk| !chunk.is_empty());
        digits < 6 && chunks.all(|chunk| is_made_of(chunk, &known))
    })
}

/// Whether digits are a row or repeat: `12345678`, `4321`, `1111`.
fn is_row(digits: &str) -> bool {
    let steps = digits
        .as_bytes()
        .windows(2)
        .map(|pair| i16::from(pair[1]) - i16::from(pair[0]));
    let mut steps = steps.map(|step| if step == -9 { 1 } else { step });
    let first = steps.next().unwrap_or_default();
    (-1..=1).contains(&first) && steps.all(|step| step == first)
}

/// The words of a name: `DB_PASSWORD`, `label-studio-db`, `adminPassword`.
fn words(name: &str) -> Vec<String> {
    let name = name.get(..256).unwrap_or(name);
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_ascii_alphabetic() || c.is_ascii_uppercase() && was_lower {
            words.push(String::new());
        }
        if c.is_ascii_alphabetic()
            && let Some(last) = words.last_mut()
        {
            last.push(c.to_ascii_lowercase());
        }
        was_lower = c.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether letters can be divided into known words.
fn is_made_of(letters: &str, names: &[String]) -> bool {
    let mut ends = vec![false; letters.len() + 1];
    ends[0] = true;
    for start in 0..letters.len() {
        if !ends[start] {
            continue;
        }
        let rest = &letters[start..];
        let known = WORDS
            .iter()
            .copied()
            .chain(names.iter().map(String::as_str));
        for word in known.filter(|word| rest.starts_with(word)) {
            ends[start + word.len()] = true;
        }
    }
    // One letter more does not help.
    ends[letters.len()] || letters.len() > 4 && ends[letters.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_words_and_names_are_guessable() {
        for (value, names) in [
            ("password", &["DB_PASSWORD"][..]),
            ("immich", &["DB_PASSWORD", "Secret immich-secret"]),
            ("mealie", &["POSTGRES_PASSWORD", "mealie", "postgres"]),
            (
                "label-studio",
                &["database-password", "Secret label-studio-db"],
            ),
            ("minio123", &["secretkey"]),
            ("minioadmin", &["AWS_SECRET_ACCESS_KEY"]),
            ("Harbor12345", &["harborAdminPassword"]),
            ("12345678", &["server-ca-passphrase"]),
            ("f00barZ", &["password"]),
            ("pass-1", &["password"]),
            ("db_dev", &["MYSQL_ROOT_PASSWORD"]),
            ("local-bootstrap-token", &["authentik_token"]),
            ("insecure_secret", &["password"]),
            (
                "technitium-dns",
                &["password", "Certificate technitium-dns-cert"],
            ),
        ] {
            assert!(is_guessable(value, names), "{value}");
        }
    }

    #[test]
    fn passphrases_and_generated_values_are_not() {
        for value in [
            "correct-horse",
            "correct-horse-battery",
            "c3I7yWDjKaxNcpS8",
            "2bvd-r8a3-3v83",
            "Adm1n$yst3m@2024-x",
            "9f8a7sdf98a7sdf",
            "7d16fee92f8d11b8940b081b3f8b8acb",
            "84729105",
        ] {
            assert!(!is_guessable(value, &["password", "Secret db"]), "{value}");
        }
    }
}
