//! Which names are those of secrets, by how they end. Numbers and the names of environments at the end do not count.

/// Whether the value of a key or variable of this name is to be kept secret.
pub fn is_secret_name(name: &str) -> bool {
    if !may_be_secret(name) {
        return false;
    }
    let mut buffer = [0u8; 64];
    let mut length = 0;
    for byte in name.bytes().filter(u8::is_ascii_alphanumeric) {
        if length == buffer.len() {
            buffer.rotate_left(1);
            length -= 1;
        }
        buffer[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    let name = &buffer[..length];
    if is_of(name, SECRET_ENDINGS) {
        return true;
    }
    // `DB_PASS_PROD`, `PASSWORD_1`.
    let stem = without_number(name);
    let mut environments = ENVIRONMENTS.iter();
    let stem = environments
        .find_map(|end| stem.strip_suffix(end.as_bytes()))
        .unwrap_or(stem);
    stem.len() < name.len() && (is_of(stem, CERTAIN) || is_of(stem, &["pass"]))
}

/// What stands in a list or mapping under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bearing {
    /// Secrets.
    Certain,
    /// Secrets, or names of objects that hold them.
    Doubtful,
    Anything,
}

pub fn bearing(name: &str) -> Bearing {
    if !may_be_secret(name) {
        return Bearing::Anything;
    }
    let name = letters(name);
    // `secretKeys: {adminPasswordKey: …}` says which entry of a Secret is which.
    if name.ends_with("secretkeys") {
        return Bearing::Anything;
    }
    let name = name.strip_suffix('s').unwrap_or(&name).as_bytes();
    if is_of(name, CERTAIN) {
        Bearing::Certain
    } else if is_of(name, &["secret", "credential"]) {
        Bearing::Doubtful
    } else {
        Bearing::Anything
    }
}

/// A name in lower case and without separators.
pub fn letters(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

fn is_of(name: &[u8], endings: &[&str]) -> bool {
    endings.iter().any(|ending| {
        // Saves a call for nearly every ending.
        name.last() == ending.as_bytes().last() && name.ends_with(ending.as_bytes())
    }) && {
        let singular = name.strip_suffix(b"s").unwrap_or(name);
        !NAMES_OF_OBJECTS.iter().any(|exception| {
            name.ends_with(exception.as_bytes()) || singular.ends_with(exception.as_bytes())
        })
    }
}

fn without_number(name: &[u8]) -> &[u8] {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit());
    &name[..name.len() - digits.count()]
}

/// Cheap refusal: every key is asked, and almost none ends in the letters that a secret's name does.
fn may_be_secret(name: &str) -> bool {
    let letters = name.bytes().rev().filter(u8::is_ascii_alphanumeric);
    let letters = letters.skip_while(u8::is_ascii_digit);
    let mut letters = letters.map(|byte| byte.to_ascii_lowercase());
    let (last, before) = (letters.next(), letters.next());
    let (Some(last), Some(before)) = (last, before) else {
        return false;
    };
    matches!(
        [before, last],
        [b'r' | b'w' | b'e' | b'i' | b'o', b'd']
            | [b's' | b'g' | b'v', b'e']
            | [b's', b's' | b'n' | b't' | b'h']
            | [b'e', b't' | b'n' | b'y' | b'm' | b'v']
            | [b'a', b'l']
            | [b'l', b's' | b't']
            | [b'n' | b'd' | b'y' | b't' | b'e', b's']
            | [b'n', b'g']
            | [b'g', b's']
            | [b'o', b'n']
            | [b't', b'h']
    )
}

/// Names that end so hold secrets whatever their value looks like.
const CERTAIN: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "encryptionkey",
    "signingkey",
    "authkey",
    "clientsecret",
    "connectionstring",
    "htpasswd",
];

/// What names of secrets have at their end where there is one for each environment.
const ENVIRONMENTS: &[&str] = &[
    "prod",
    "production",
    "staging",
    "stage",
    "dev",
    "test",
    "live",
];

/// What the names of secret values end in, in lower case and without separators.
const SECRET_ENDINGS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "accesskeyid",
    "secretkey",
    "privatekey",
    "encryptionkey",
    "signingkey",
    "authkey",
    "licensekey",
    "sharedkey",
    "masterkey",
    "rootkey",
    "hmackey",
    "cookiesecret",
    "credential",
    "credentials",
    "connectionstring",
    "dsn",
    "salt",
    "htpasswd",
    "clientsecret",
    "keypem",
    "seed",
    "basicauth",
    "passwords",
    "passphrases",
    "tokens",
    "apikeys",
    "accesskeys",
    "privatekeys",
    "encryptionkeys",
    "signingkeys",
    "clientsecrets",
    "connectionstrings",
    "secretkeybase",
    "jwtkey",
    "npmauth",
    "passwordhash",
    "passwdhash",
    "passhash",
];

/// Keys with such an ending that hold the name of an object, or a switch, rather than a secret.
const NAMES_OF_OBJECTS: &[&str] = &[
    "existingsecret",
    "existingsecretkey",
    "passwordsecretkey",
    "usernamesecretkey",
    "tlssecret",
    "pullsecret",
    "casecret",
    "certsecret",
    "certificatesecret",
    "configsecret",
    "credentialssecret",
    "externalsecret",
    "fromsecret",
    "createsecret",
    "usesecret",
    "credentialssecretname",
    "serviceaccounttoken",
    "automounttoken",
    "bypass",
    "compass",
    "valuessecret",
    "webhooksecretname",
    "pushsecret",
    "sealedsecret",
    "clusterexternalsecret",
    "userssecret",
    "adminsecret",
    "existingcredentials",
    "backupsecret",
    "storagesecret",
    "imagecredentials",
    "encompass",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_ending_of_a_secret_is_refused_unseen() {
        for ending in SECRET_ENDINGS {
            assert!(may_be_secret(ending), "{ending}");
            assert!(is_secret_name(ending), "{ending}");
        }
        for end in ENVIRONMENTS {
            assert!(is_secret_name(&format!("DB_PASS_{end}")), "{end}");
        }
    }

    #[test]
    fn a_number_or_an_environment_at_the_end_does_not_count() {
        for name in [
            "PASSWORD_1",
            "DB_PASS_PROD",
            "apiKey2",
            "SECRET_KEY_BASE",
            "adminPasswordHash",
            "NPM_AUTH",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "bypass1",
            "secretName",
            "externalSecrets",
            "imagePullSecrets",
            "seed1",
            "sha1",
            "production",
            "minPasswordLength",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
