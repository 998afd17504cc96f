//! Secret words of commands: values of flags that name a secret, and of flags that some programs use for passwords.

use std::ops::Range;

use super::super::is_secret_name;
use super::{Evidence, SecretSpan, is_open};

/// Adds the secret words of the commands in a text.
pub fn find(text: &str, found: &mut Vec<SecretSpan>) {
    let signs = [
        " -",
        "kv put ",
        "add_user ",
        "change_password ",
        "vault login ",
        "alias set ",
    ];
    if !text.starts_with('-') && !signs.iter().any(|sign| text.contains(sign)) {
        return;
    }
    for line in lines(text) {
        let words: Vec<Range<usize>> = words(text, line).collect();
        let texts: Vec<&str> = words.iter().map(|word| &text[word.clone()]).collect();
        in_words(&texts, &mut |at, part| {
            let start = words[at].start;
            found.push(SecretSpan {
                range: start + part.start..start + part.end,
                evidence: Evidence::Doubtful,
            });
        });
    }
}

/// Reports the secret parts of the words of a command.
pub fn in_words(words: &[&str], found: &mut dyn FnMut(usize, Range<usize>)) {
    let mut program = Program::Other;
    let is_piped = words.iter().any(|word| word.ends_with("password-stdin"));
    for (at, word) in words.iter().enumerate() {
        program = match (Program::named(word), program) {
            (Some(Program::RegistryLogin), Program::Vault) | (None, _) => program,
            (Some(Program::LastWord), _)
                if *word == "alias" && (at == 0 || words[at - 1] != "mc") =>
            {
                program
            }
            (Some(named), _) => named,
        };
        if matches!(*word, "|" | "&&" | "||" | ";") {
            program = Program::Other;
        }
        let is_last = words
            .get(at + 1)
            .is_none_or(|next| matches!(*next, "|" | "&&" | "||" | ";" | ">"));
        let next = words.get(at + 1).filter(|next| !next.starts_with('-'));
        let mut secret = |at: usize, word: &str, start: usize| {
            if !is_open(&word[start..]) {
                found(at, start..word.len());
            }
        };
        if let (true, Some(next)) = (names_secret(word), next) {
            secret(at + 1, next, 0);
        }
        let is_told = match program {
            Program::Echo => is_piped && !matches!(*word, "echo" | "printf"),
            Program::LastWord => is_last && at > 1,
            _ => false,
        };
        if is_told && !word.starts_with('-') {
            secret(at, word, 0);
        }
        match program.flag(word) {
            Some(Flag::Password(0)) => {
                if let Some(next) = next {
                    secret(at + 1, next, 0);
                }
            }
            Some(Flag::Password(start)) => secret(at, word, start),
            Some(Flag::Login(0)) => {
                if let Some((next, colon)) =
                    next.and_then(|next| Some((next, next.find([':', '%'])?)))
                {
                    secret(at + 1, next, colon + 1);
                }
            }
            Some(Flag::Login(start)) => {
                if let Some(colon) = word[start..].find([':', '%']) {
                    secret(at, word, start + colon + 1);
                }
            }
            Some(Flag::Pair(start)) => {
                if let Some(sign) = word[start..].find('=') {
                    secret(at, word, start + sign + 1);
                }
            }
            None => {}
        }
    }
}

/// Whether a word is a flag that names a secret and has no value: `--db-password`.
fn names_secret(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    name.len() < word.len() && name.bytes().all(is_name) && is_secret_name(name)
}

#[derive(Clone, Copy)]
enum Program {
    Curl,
    Mysql,
    Redis,
    /// Programs that take a password after `-p`.
    Short,
    /// Programs that take one after `-p` when logging in.
    Registry,
    RegistryLogin,
    Ldap,
    Samba,
    Sql,
    Openssl,
    Kubectl,
    Vault,
    /// Its output goes to another program.
    Echo,
    /// Its last word is the secret.
    LastWord,
    Other,
}

/// The meaning of a flag's value, and its offset in the word; 0 if it is the next word.
enum Flag {
    Password(usize),
    /// User name and password.
    Login(usize),
    /// Name and secret.
    Pair(usize),
}

impl Program {
    fn named(word: &str) -> Option<Program> {
        let name = base::text::last_part(word);
        Some(match name {
            "curl" | "http" | "https" | "xh" => Program::Curl,
            "mysql" | "mysqldump" | "mysqladmin" | "mysqlcheck" | "mariadb" | "mariadb-dump"
            | "mariadb-admin" => Program::Mysql,
            "redis-cli" | "valkey-cli" | "keydb-cli" => Program::Redis,
            "sshpass" | "mongo" | "mongosh" | "mongodump" | "mongorestore" | "az" | "unzip"
            | "zip" => Program::Short,
            "docker" | "podman" | "nerdctl" | "helm" | "skopeo" | "crane" | "oras" | "buildah"
            | "flux" | "argocd" => Program::Registry,
            "login" => Program::RegistryLogin,
            "ldapsearch" | "ldapadd" | "ldapmodify" | "ldapdelete" | "ldapwhoami"
            | "ldappasswd" => Program::Ldap,
            "smbclient" | "rpcclient" => Program::Samba,
            "sqlcmd" | "bcp" => Program::Sql,
            "openssl" => Program::Openssl,
            "echo" | "printf" => Program::Echo,
            "htpasswd" | "add_user" | "change_password" | "alias" => Program::LastWord,
            "kubectl" | "oc" => Program::Kubectl,
            "vault" | "bao" => Program::Vault,
            _ => return None,
        })
    }

    fn flag(self, word: &str) -> Option<Flag> {
        let attached =
            |flag: &str| (word.starts_with(flag) && word.len() > flag.len()).then_some(flag.len());
        match self {
            Program::Curl => match word {
                "-u" | "--user" | "-U" | "--proxy-user" | "-a" | "--auth" => Some(Flag::Login(0)),
                _ => attached("--user=")
                    .or(attached("--proxy-user="))
                    .or(attached("-u"))
                    .map(Flag::Login),
            },
            Program::Mysql => attached("-p").map(Flag::Password),
            Program::Redis => (word == "-a").then_some(Flag::Password(0)),
            Program::Short => match word {
                "-p" | "-P" => Some(Flag::Password(0)),
                _ => attached("-p").map(Flag::Password),
            },
            Program::RegistryLogin => (word == "-p").then_some(Flag::Password(0)),
            Program::Ldap => match word {
                "-w" | "-s" => Some(Flag::Password(0)).filter(|_| word == "-w"),
                _ => attached("-w").map(Flag::Password),
            },
            Program::Samba => match word {
                "-U" => Some(Flag::Login(0)),
                _ => attached("-U").map(Flag::Login),
            },
            Program::Sql => match word {
                "-P" => Some(Flag::Password(0)),
                _ => attached("-P").map(Flag::Password),
            },
            Program::Openssl => match word {
                "-k" | "-K" => Some(Flag::Password(0)),
                _ => attached("pass:").map(Flag::Password),
            },
            Program::Kubectl => attached("--from-literal=").map(Flag::Pair),
            Program::Vault if word == "login" => Some(Flag::Password(0)),
            Program::Vault => {
                (!word.starts_with('-') && word.contains('=')).then_some(Flag::Pair(0))
            }
            Program::Registry | Program::Echo | Program::LastWord | Program::Other => None,
        }
    }
}

/// Lines, joined if one ends with a backslash.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= text.len() {
            return None;
        }
        let start = at;
        loop {
            let end = super::line_end(text, at);
            at = end + 1;
            if at >= text.len() || !text[..end].ends_with('\\') {
                return Some(start..end);
            }
        }
    })
}

/// The words of a line, without quotes.
fn words(text: &str, line: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = line.start;
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    std::iter::from_fn(move || {
        while at < line.end && is_blank(bytes[at]) {
            at += 1;
        }
        if at >= line.end {
            return None;
        }
        if let quote @ (b'"' | b'\'') = bytes[at] {
            let start = at + 1;
            let length = bytes[start..line.end]
                .iter()
                .position(|byte| *byte == quote);
            let end = length.map_or(line.end, |length| start + length);
            at = end + 1;
            return Some(start..end);
        }
        let start = at;
        while at < line.end && !is_blank(bytes[at]) && bytes[at] != b';' {
            at += 1;
        }
        base::steps::count(at - start + 1);
        // An operator that ends a command is a word of its own.
        if at == start {
            at += 1;
        }
        Some(start..at)
    })
}
