//! Which names are those of secrets, by how they end. Numbers and the names of environments at the end do not count.

/// Whether the value of a key or variable of this name is to be kept secret.
pub fn is_secret_name(name: &str) -> bool {
    let Some(end) = last_letters(name) else {
        return false;
    };
    let is_ending = SECRETS.has(end);
    if !is_ending && !PLACES.has(end) {
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
    if is_ending && is_of(name, SECRET_ENDINGS) {
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
    if !last_letters(name).is_some_and(|end| SECRETS.has(end)) {
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

/// The last three letters of a name, without the numbers behind them.
fn last_letters(name: &str) -> Option<[u8; 3]> {
    let letters = name.bytes().rev().filter(u8::is_ascii_alphanumeric);
    let mut letters = letters.skip_while(u8::is_ascii_digit);
    let (last, second, third) = (letters.next()?, letters.next()?, letters.next()?);
    Some([third, second, last])
}

/// What some words end in, each alone or several of them: a bit for any three letters. Every key is asked, and almost none
/// ends in the letters that a secret's name does.
struct Ends([u64; 512]);

static SECRETS: Ends = Ends::of(&[SECRET_ENDINGS, CERTAIN]);
static PLACES: Ends = Ends::of(&[ENVIRONMENTS]);

impl Ends {
    const fn of(lists: &[&[&str]]) -> Ends {
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

    fn has(&self, letters: [u8; 3]) -> bool {
        let bit = Ends::bit(letters);
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Five bits of a letter tell it from all others, whatever its case.
    const fn bit([third, second, last]: [u8; 3]) -> usize {
        ((third & 31) as usize) << 10 | ((second & 31) as usize) << 5 | (last & 31) as usize
    }
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
            assert!(is_secret_name(ending), "{ending}");
        }
        for end in ENVIRONMENTS {
            assert!(is_secret_name(&format!("DB_PASS_{end}")), "{end}");
        }
        // Of `secretkeys`, each says which entry of a Secret is which.
        for ending in CERTAIN.iter().filter(|ending| **ending != "secretkey") {
            for name in [ending.to_uppercase(), format!("{ending}s")] {
                assert_eq!(bearing(&name), Bearing::Certain, "{name}");
            }
        }
        assert_eq!(bearing("SECRETS"), Bearing::Doubtful);
        assert_eq!(bearing("credentials"), Bearing::Doubtful);
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
