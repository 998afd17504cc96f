//! Recognises names of secrets by their endings. Numbers and names of environments at the end are skipped.

mod words;

use words::{
    CERTAIN, KEYS_OF_OTHER_KINDS, NAMES_OF_OBJECTS, QUALIFIERS, SAID_OF_PASSWORDS, SECRET_ENDINGS,
    SHORT_QUALIFIERS,
};

/// Whether the value of a key or variable with this name is secret.
pub fn is_secret_name(name: &str) -> bool {
    strength(name) != Strength::None
}

/// How certain it is that the value of a name is secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    None,
    /// It may also be a path, or name an authentication method.
    Weak,
    Strong,
}

pub fn strength(name: &str) -> Strength {
    let Some(end) = last_letters(name) else {
        return Strength::None;
    };
    // `admin_pw`: no word ends like this.
    if end[1..].eq_ignore_ascii_case(b"pw") {
        return Strength::Strong;
    }
    let is_ending = SECRETS.has(end);
    if is_ending || QUALIFIED.has(end) && name.len() > SHORTEST_QUALIFIED {
        let mut buffer = [0u8; 64];
        let name = lower_letters(name, &mut buffer);
        if is_ending && is_of(name, SECRET_ENDINGS) || is_qualified(name) {
            return Strength::Strong;
        }
    }
    variable(name, end)
}

/// `pass` with a qualifier is longer than this; most keys are not: `value`, `text`.
const SHORTEST_QUALIFIED: usize = 5;

/// The last letters and digits of a name in lower case.
fn lower_letters<'a>(name: &str, buffer: &'a mut [u8; 64]) -> &'a [u8] {
    let mut length = 0;
    for byte in name.bytes().filter(u8::is_ascii_alphanumeric) {
        if length == buffer.len() {
            buffer.rotate_left(1);
            length -= 1;
        }
        buffer[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    &buffer[..length]
}

/// `DB_PASS_PROD`, `PASSWORD_1`, `passwordBase64`, `TOKEN_V2_OLD`.
fn is_qualified(name: &[u8]) -> bool {
    let mut stem = name;
    // No name has more qualifiers.
    for _ in 0..4 {
        let bare = without_number(stem);
        let mut qualifiers = QUALIFIERS.iter().chain(SHORT_QUALIFIERS);
        let next = qualifiers.find_map(|end| {
            // Avoids a call for nearly every qualifier.
            let is_near = bare.last() == end.as_bytes().last();
            is_near.then(|| bare.strip_suffix(end.as_bytes()))?
        });
        stem = next.unwrap_or(bare);
        if stem.len() == name.len() {
            return false;
        }
        let end = stem.last_chunk::<3>();
        if end.is_some_and(|end| SECRETS.has(*end))
            && (is_of(stem, CERTAIN) || is_of(stem, &["pass", "creds"]))
        {
            return true;
        }
        if next.is_none() {
            return false;
        }
    }
    false
}

/// Variables are written in capitals and named after their content: `OPENAI_KEY`, `REDIS_AUTH`, `DB_PASSWORD_REPLICA`.
fn variable(name: &str, end: [u8; 3]) -> Strength {
    let is_capital =
        |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    // Reject nearly all names by their ending. PASSWORD and PASSWD have a W, PASSPHRASE an H.
    let may_be_one = matches!(&end, b"KEY" | b"UTH" | b"PAT" | b"RED")
        || base::bytes::any(name.as_bytes(), |byte| matches!(byte, b'W' | b'H'));
    if !end.iter().all(is_capital) || !may_be_one {
        return Strength::None;
    }
    let name = name.rsplit('.').next().unwrap_or(name);
    if !name.bytes().all(|byte| is_capital(&byte)) {
        return Strength::None;
    }
    let Some((before, last)) = name.rsplit_once('_') else {
        return Strength::None;
    };
    let previous = before.rsplit('_').next().unwrap_or_default();
    match last {
        "KEY" if !KEYS_OF_OTHER_KINDS.contains(&previous) => Strength::Weak,
        "AUTH" => Strength::Weak,
        "PAT" | "CRED" => Strength::Strong,
        _ => {
            let mut words = before.split('_');
            let is_password =
                words.any(|word| matches!(word, "PASSWORD" | "PASSWD" | "PASSPHRASE"));
            if is_password && !SAID_OF_PASSWORDS.contains(&last) {
                Strength::Strong
            } else {
                Strength::None
            }
        }
    }
}

/// Whether a name may denote a key, so that a random value under it is secret.
pub fn may_hold_key(name: &str) -> bool {
    let last = name.as_bytes().last();
    if !last.is_some_and(|last| matches!(last | 32, b'y' | b'h' | b's')) {
        return false;
    }
    let Some(end) = last_letters(name) else {
        return false;
    };
    let end = end.map(|byte| byte.to_ascii_lowercase());
    let is_key = &end == b"key" || &end == b"uth" || &end == b"eds";
    is_key && {
        let mut buffer = [0u8; 64];
        let name = lower_letters(name, &mut buffer);
        let is_public = ["publickey", "pubkey", "sitekey", "publishablekey"];
        !is_public
            .iter()
            .any(|public| name.ends_with(public.as_bytes()))
    }
}

/// What a list or mapping under a name contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContainerSecrecy {
    /// Secrets.
    Certain,
    /// Secrets, or names of the objects that contain them.
    Doubtful,
    Anything,
}

pub fn container_secrecy(name: &str) -> ContainerSecrecy {
    if !last_letters(name).is_some_and(|end| SECRETS.has(end)) {
        return ContainerSecrecy::Anything;
    }
    let name = letters(name);
    // `secretKeys: {adminPasswordKey: …}` maps entries of a Secret.
    if name.ends_with("secretkeys") {
        return ContainerSecrecy::Anything;
    }
    let name = name.strip_suffix('s').unwrap_or(&name).as_bytes();
    if is_of(name, CERTAIN) {
        ContainerSecrecy::Certain
    } else if is_of(name, &["secret", "credential"]) {
        ContainerSecrecy::Doubtful
    } else {
        ContainerSecrecy::Anything
    }
}

/// A name in lower case and without separators.
pub fn letters(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

fn is_of(name: &[u8], endings: &[&str]) -> bool {
    endings.iter().any(|ending| {
        // Avoids a call for nearly every ending.
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

/// The last three letters of a name, before any digits.
#[inline]
fn last_letters(name: &str) -> Option<[u8; 3]> {
    // Most names end in letters.
    if let Some(last) = name
        .as_bytes()
        .last_chunk::<3>()
        .filter(|last| last.iter().all(u8::is_ascii_alphabetic))
    {
        return Some(*last);
    }
    let mut letters = name
        .bytes()
        .rev()
        .filter(u8::is_ascii_alphanumeric)
        .skip_while(u8::is_ascii_digit);
    let (last, second, third) = (letters.next()?, letters.next()?, letters.next()?);
    Some([third, second, last])
}

/// A bit for every three letters that some words, or sequences of them, end in. Every key is tested, and almost none
/// ends in the letters of a secret's name.
struct Ends([u64; 512]);

static SECRETS: Ends = Ends::from_lists(&[SECRET_ENDINGS, CERTAIN]);
static QUALIFIED: Ends = Ends::from_lists(&[QUALIFIERS])
    .with_short(SHORT_QUALIFIERS, CERTAIN)
    .with_short(SHORT_QUALIFIERS, QUALIFIERS)
    .with_short(SHORT_QUALIFIERS, &["pass"]);

impl Ends {
    const fn from_lists(lists: &[&[&str]]) -> Ends {
        let mut ends = [0; 512];
        let mut list = 0;
        while list < lists.len() {
            let mut at = 0;
            while at < lists[list].len() {
                let word = lists[list][at].as_bytes();
                let last = word.last_chunk::<3>().expect("none is shorter");
                let (one, many) = (Ends::bit(*last), Ends::bit([last[1], last[2], b's']));
                ends[one / 64] |= 1 << (one % 64);
                ends[many / 64] |= 1 << (many % 64);
                at += 1;
            }
            list += 1;
        }
        Ends(ends)
    }

    /// Adds the endings of `words` followed by one or two letters.
    const fn with_short(mut self, short: &[&str], words: &[&str]) -> Ends {
        let mut word = 0;
        while word < words.len() {
            let mut at = 0;
            while at < short.len() {
                let last = words[word]
                    .as_bytes()
                    .last_chunk::<3>()
                    .expect("none is shorter");
                let end = short[at].as_bytes();
                let bit = match *end {
                    [one] => Ends::bit([last[1], last[2], one]),
                    [one, two] => Ends::bit([last[2], one, two]),
                    _ => panic!("no short word is longer"),
                };
                self.0[bit / 64] |= 1 << (bit % 64);
                at += 1;
            }
            word += 1;
        }
        self
    }

    fn has(&self, letters: [u8; 3]) -> bool {
        let bit = Ends::bit(letters);
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Five bits identify a letter, whatever its case.
    const fn bit([third, second, last]: [u8; 3]) -> usize {
        ((third & 31) as usize) << 10 | ((second & 31) as usize) << 5 | (last & 31) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_ending_of_a_secret_is_refused_unseen() {
        for ending in SECRET_ENDINGS {
            assert!(is_secret_name(ending), "{ending}");
        }
        for end in QUALIFIERS.iter().chain(SHORT_QUALIFIERS) {
            assert!(is_secret_name(&format!("db-pass-{end}")), "{end}");
            assert!(is_secret_name(&format!("dbPassword{end}2")), "{end}");
        }
        // Entries below `secretkeys` name entries of a Secret.
        for ending in CERTAIN.iter().filter(|ending| **ending != "secretkey") {
            for name in [ending.to_uppercase(), format!("{ending}s")] {
                assert_eq!(
                    container_secrecy(&name),
                    ContainerSecrecy::Certain,
                    "{name}"
                );
            }
        }
        assert_eq!(container_secrecy("SECRETS"), ContainerSecrecy::Doubtful);
        assert_eq!(container_secrecy("credentials"), ContainerSecrecy::Doubtful);
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
            "DB_PASSWORD_V2",
            "PASSWORD_BASE64",
            "password_b64",
            "apiTokenOldV2",
            "OPENAI_KEY",
            "ENCRYPT_KEY",
            "REDIS_AUTH",
            "TUNNEL_CREDS",
            "ROOT_PW",
            "GITHUB_PAT",
            "DB_PASSWORD_ANALYTICS",
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
            "PUBLIC_KEY",
            "DB_PASSWORD_FILE",
            "PASSWORD_MIN_LENGTH",
            "SECRET_DOMAIN",
            "topologyKey",
            "KEY",
            "AUTH",
            "tokenTTL",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
