//! Semantic versions and constraints, as implemented by the library that Helm uses (Masterminds/semver).

use std::cmp::Ordering;
use std::fmt::{Display, Formatter};
use std::rc::Rc;

use smol_str::SmolStr;

use super::Parameter::Text;
use super::{Function, text_at};
use crate::engine::{Fail, Val};

/// Maximum number of constraints in a condition.
const MAX_PARTS: usize = 64;

pub const FUNCTIONS: &[Function] = &[
    Function::fixed("semver", &[Text], |_, all| {
        read(text_at(all, 0)).map(|version| Val::Version(Rc::new(version)))
    }),
    Function::fixed("semverCompare", &[Text, Text], |_, all| {
        let (condition, version) = (text_at(all, 0), text_at(all, 1));
        let parsed = parse_condition(condition);
        let parsed =
            parsed.ok_or_else(|| Fail::new(format!("improper constraint: {condition}")))?;
        let version = read(version)?;
        Ok(Val::Bool(is_met_by(&parsed, &version)))
    }),
];

fn read(text: &str) -> Result<SemanticVersion, Fail> {
    let read = SemanticVersion::read(text)
        .filter(|_| !text.contains(['x', 'X', '*']) || text.contains('-'));
    match read {
        Some((version, _)) => Ok(version),
        None => Err(Fail::new("Invalid Semantic Version")),
    }
}

/// Whether a version meets a condition such as `>=1.2.0, <2` or `^1.4 || ~2.1`; `None` if either cannot be parsed.
pub fn meets(condition: &str, version: &str) -> Option<bool> {
    let version = read(version).ok()?;
    Some(is_met_by(&parse_condition(condition)?, &version))
}

/// The constraints of a condition, of which all of one group must hold.
fn parse_condition(condition: &str) -> Option<Vec<Vec<Constraint>>> {
    condition.split("||").map(constraints).collect()
}

fn is_met_by(condition: &[Vec<Constraint>], version: &SemanticVersion) -> bool {
    let mut groups = condition.iter();
    groups.any(|group| group.iter().all(|one| one.is_met(version)))
}

/// A field or method of a version.
pub fn field(version: &SemanticVersion, name: &SmolStr, arguments: &[Val]) -> Result<Val, Fail> {
    let [major, minor, patch] = version.numbers;
    let other = || match arguments {
        [Val::Version(other)] => Ok(other.clone()),
        _ => Err(Fail::new(format!("wrong arguments for {name}"))),
    };
    Ok(match name.as_str() {
        "Major" => Val::Int64(major as i64),
        "Minor" => Val::Int64(minor as i64),
        "Patch" => Val::Int64(patch as i64),
        "Prerelease" => Val::text(version.early.join(".")),
        "Metadata" => Val::text(version.build.as_str()),
        "Original" => Val::text(version.original.as_str()),
        "String" => Val::text(version.to_string()),
        "Compare" => Val::Int(version.cmp(&*other()?) as i64),
        "Equal" => Val::Bool(version.cmp(&*other()?).is_eq()),
        "LessThan" => Val::Bool(version.cmp(&*other()?).is_lt()),
        "GreaterThan" => Val::Bool(version.cmp(&*other()?).is_gt()),
        _ => {
            return Err(Fail::new(format!(
                "can't evaluate field {name} in type *semver.Version"
            )));
        }
    })
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SemanticVersion {
    numbers: [u64; 3],
    /// The pre-release identifiers.
    early: Vec<String>,
    build: String,
    original: String,
}

impl Display for SemanticVersion {
    fn fmt(&self, out: &mut Formatter) -> std::fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(out, "{major}.{minor}.{patch}")?;
        if !self.early.is_empty() {
            write!(out, "-{}", self.early.join("."))?;
        }
        if !self.build.is_empty() {
            write!(out, "+{}", self.build)?;
        }
        Ok(())
    }
}

/// The first part of a version that is not stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Dirty {
    Major,
    Minor,
    Patch,
    Nothing,
}

impl SemanticVersion {
    fn read(text: &str) -> Option<(SemanticVersion, Dirty)> {
        let original = text.to_owned();
        let text = text.strip_prefix('v').unwrap_or(text);
        let (text, build) = text.split_once('+').unwrap_or((text, ""));
        let (core, early) = match text.split_once('-') {
            Some((core, early)) => (core, early.split('.').map(str::to_owned).collect()),
            None => (text, Vec::new()),
        };
        let is_word = |part: &str| {
            let mut bytes = part.bytes();
            !part.is_empty() && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        let are_words = early.iter().all(|part: &String| is_word(part));
        if !are_words || !build.is_empty() && !build.split('.').all(is_word) {
            return None;
        }
        let mut numbers = [0; 3];
        let mut dirty = Dirty::Nothing;
        let mut parts = core.split('.');
        for (nth, number) in numbers.iter_mut().enumerate() {
            let here = [Dirty::Major, Dirty::Minor, Dirty::Patch][nth];
            match parts.next() {
                None | Some("x" | "X" | "*") => dirty = dirty.min(here),
                Some(part) if part.starts_with(|c: char| c.is_ascii_digit()) => {
                    *number = part.parse().ok()?;
                }
                Some(_) => return None,
            }
        }
        let is_plain = parts.next().is_none() && !core.is_empty();
        let version = SemanticVersion {
            numbers,
            early,
            build: build.to_owned(),
            original,
        };
        is_plain.then_some((version, dirty))
    }
}

impl Ord for SemanticVersion {
    fn cmp(&self, other: &SemanticVersion) -> Ordering {
        let numbers = self.numbers.cmp(&other.numbers);
        numbers.then_with(|| match (self.early.as_slice(), other.early.as_slice()) {
            ([], []) => Ordering::Equal,
            ([], _) => Ordering::Greater,
            (_, []) => Ordering::Less,
            (one, other) => {
                let key = |part: &String| (part.parse::<u64>().ok(), part.clone());
                let pairs = one.iter().map(key).zip(other.iter().map(key));
                let mut pairs = pairs.map(|(a, b)| match (a.0, b.0) {
                    (Some(a), Some(b)) => a.cmp(&b),
                    // Numbers come before words.
                    (Some(_), None) => Ordering::Less,
                    (None, Some(_)) => Ordering::Greater,
                    (None, None) => a.1.cmp(&b.1),
                });
                let differs = pairs.find(|order| *order != Ordering::Equal);
                differs.unwrap_or_else(|| one.len().cmp(&other.len()))
            }
        })
    }
}

impl PartialOrd for SemanticVersion {
    fn partial_cmp(&self, other: &SemanticVersion) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Constraint {
    how: String,
    version: SemanticVersion,
    dirty: Dirty,
}

/// Parses constraints that must hold together.
fn constraints(text: &str) -> Option<Vec<Constraint>> {
    // `1.2 - 1.4` is a range, with spaces around its dash.
    if let Some((from, to)) = text.split_once(" - ") {
        let one = |how: &str, text: &str| Constraint::read(&format!("{how}{}", text.trim()));
        return Some(vec![one(">=", from)?, one("<=", to)?]);
    }
    let mut parts: Vec<String> = Vec::new();
    for part in text.split([',', ' ', '\t']).filter(|part| !part.is_empty()) {
        // An operator may be separated from its version.
        match parts.last_mut().filter(|last| last.ends_with(is_sign)) {
            Some(last) => last.push_str(part),
            None => parts.push(part.to_owned()),
        }
    }
    if parts.is_empty() || parts.len() > MAX_PARTS {
        return None;
    }
    parts.iter().map(|part| Constraint::read(part)).collect()
}

fn is_sign(c: char) -> bool {
    matches!(c, '=' | '!' | '<' | '>' | '~' | '^')
}

impl Constraint {
    fn read(text: &str) -> Option<Constraint> {
        let at = text.find(|c| !is_sign(c))?;
        let (how, version) = text.split_at(at);
        let is_known = matches!(
            how,
            "" | "=" | "!=" | ">" | "<" | ">=" | "=>" | "<=" | "=<" | "~" | "~>" | "^"
        );
        let (version, dirty) = SemanticVersion::read(version).filter(|_| is_known)?;
        Some(Constraint {
            how: how.to_owned(),
            version,
            dirty,
        })
    }

    fn is_met(&self, version: &SemanticVersion) -> bool {
        let own = &self.version;
        // A pre-release matches only a constraint that has one.
        let is_exclusion = self.how == "!=" && self.dirty == Dirty::Nothing;
        if !version.early.is_empty() && own.early.is_empty() && !is_exclusion {
            return false;
        }
        let [major, minor, _] = version.numbers;
        let [own_major, own_minor, _] = own.numbers;
        let same_major = major == own_major || self.dirty == Dirty::Major;
        let same_minor = same_major && (minor == own_minor || self.dirty <= Dirty::Minor);
        let within = same_minor && version >= own;
        match self.how.as_str() {
            "" | "=" if self.dirty == Dirty::Nothing => version.cmp(own).is_eq(),
            "!=" if self.dirty == Dirty::Nothing => version.cmp(own).is_ne(),
            // Accepts everything.
            "~" | "~>" if self.dirty == Dirty::Nothing && own.numbers == [0; 3] => version >= own,
            "!=" => !same_minor,
            ">" => match self.dirty {
                Dirty::Nothing => version > own,
                Dirty::Patch => (major, minor) > (own_major, own_minor),
                _ => major > own_major,
            },
            ">=" | "=>" => version >= own,
            "<" => version < own,
            "<=" | "=<" => version <= own || self.dirty != Dirty::Nothing && same_minor,
            "^" => self.is_compatible(version),
            _ => within,
        }
    }

    /// Whether nothing to the left of the first non-zero number differs (`^`).
    fn is_compatible(&self, version: &SemanticVersion) -> bool {
        let [major, minor, patch] = version.numbers;
        let [own_major, own_minor, own_patch] = self.version.numbers;
        if *version < self.version || self.dirty == Dirty::Major {
            return *version >= self.version;
        }
        if own_major > 0 || self.dirty == Dirty::Minor {
            return major == own_major;
        }
        if own_minor > 0 || self.dirty == Dirty::Patch {
            return major == 0 && minor == own_minor;
        }
        (major, minor, patch) == (0, 0, own_patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_meets_what_is_asked_of_it() {
        for (condition, version, expected) in [
            (">=1.2.0", "v1.2.0", true),
            (">= 1.2.0, <2", "1.9.9", true),
            (">=1.2.0 <2", "2.0.0", false),
            ("^1.4", "1.9.0", true),
            ("^1.4", "2.0.0", false),
            ("^0.2.3", "0.2.9", true),
            ("^0.2.3", "0.3.0", false),
            ("^0.0.3", "0.0.4", false),
            ("~1.2", "1.2.7", true),
            ("~1.2.3", "1.3.0", false),
            ("~1", "1.9.0", true),
            ("1.2.x", "1.2.9", true),
            ("1.x", "2.0.0", false),
            ("*", "3.1.4", true),
            (">1.2", "1.2.9", false),
            (">1.2", "1.3.0", true),
            ("<=1.2", "1.2.9", true),
            ("!=1.2.3", "1.2.3", false),
            ("!=1.2.x", "1.2.3", false),
            ("1.2 - 1.4.0", "1.3.5", true),
            ("<1 || >=2", "2.1.0", true),
            (">=1.19-0", "1.30.2-gke.100", true),
            (">=1.19", "1.30.2-gke.100", false),
            (">=1.0.0-beta.2", "1.0.0-beta.10", true),
        ] {
            assert_eq!(
                meets(condition, version),
                Some(expected),
                "{condition} {version}"
            );
        }
    }

    #[test]
    fn what_is_no_version_is_not_compared() {
        for (condition, version) in [
            ("", "1.0.0"),
            (">=a", "1.0.0"),
            (">=1", "latest"),
            ("=>>1", "1.0.0"),
        ] {
            assert_eq!(meets(condition, version), None, "{condition} {version}");
        }
    }
}
