//! Ranges of versions as Helm, Flux and Argo CD have them: those of Masterminds/semver, which differ from Cargo's.
//! The only importer of `semver`.

use std::cmp::Ordering;

use semver::{BuildMetadata, Prerelease, Version};

/// A longer range is a mistake.
const MAX_LENGTH: usize = 512;
/// So many alternatives a range may have.
const MAX_ALTERNATIVES: usize = 32;
/// In the order in which they are tried, the longer ones first.
const OPERATORS: &[(&str, RangeOperator)] = &[
    ("!=", RangeOperator::NotEqual),
    (">=", RangeOperator::AtLeast),
    ("=>", RangeOperator::AtLeast),
    ("<=", RangeOperator::AtMost),
    ("=<", RangeOperator::AtMost),
    ("~>", RangeOperator::Tilde),
    ("=", RangeOperator::Matches),
    (">", RangeOperator::Above),
    ("<", RangeOperator::Below),
    ("~", RangeOperator::Tilde),
    ("^", RangeOperator::Caret),
];

/// The version of a chart, as far as it can be compared: `v1.2` counts as `1.2.0`.
#[derive(Debug, Clone)]
pub struct ChartVersion(Version);

impl ChartVersion {
    /// None if `text` is not a version.
    pub fn parse(text: &str) -> Option<ChartVersion> {
        let written = written(text)?;
        if !written.rest.is_empty() {
            return None;
        }
        let number = |part: Option<&str>| part.map_or(Some(0), number);
        let [major, minor, patch] = written.numbers;
        Some(ChartVersion(Version {
            major: number(major)?,
            minor: number(minor)?,
            patch: number(patch)?,
            pre: Prerelease::new(written.pre).ok()?,
            build: BuildMetadata::new(written.build).ok()?,
        }))
    }

    /// The order of releases. Build metadata does not count.
    pub fn order(&self, other: &ChartVersion) -> Ordering {
        self.0.cmp_precedence(&other.0)
    }
}

/// A set of versions, such as `>=1.2, <2 || ~3.1`.
#[derive(Debug, Clone)]
pub struct VersionRange {
    /// One of them must hold.
    alternatives: Vec<Conditions>,
}

/// Conditions that must all hold.
#[derive(Debug, Clone)]
struct Conditions {
    all: Vec<VersionCondition>,
    /// One of them names a pre-release, so pre-releases count for all of them.
    takes_prereleases: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RangeOperator {
    Matches,
    NotEqual,
    Above,
    Below,
    AtLeast,
    AtMost,
    Tilde,
    Caret,
}

/// How much of the version in a condition is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    /// `*`
    Nothing,
    Major,
    Minor,
    All,
}

#[derive(Debug, Clone)]
struct VersionCondition {
    operator: RangeOperator,
    version: Version,
    given: Given,
}

impl VersionRange {
    /// None if `text` is not a range. An empty text is none: what it means depends on who reads it.
    pub fn parse(text: &str) -> Option<VersionRange> {
        if text.len() > MAX_LENGTH {
            return None;
        }
        let alternatives: Option<Vec<Conditions>> = text.split("||").map(conditions).collect();
        let alternatives = alternatives?;
        (alternatives.len() <= MAX_ALTERNATIVES).then_some(VersionRange { alternatives })
    }

    pub fn contains(&self, version: &ChartVersion) -> bool {
        let version = &version.0;
        self.alternatives.iter().any(|one| {
            (version.pre.is_empty() || one.takes_prereleases)
                && one.all.iter().all(|condition| condition.holds(version))
        })
    }
}

/// Conditions that are separated by commas or spaces.
fn conditions(text: &str) -> Option<Conditions> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    loop {
        let (condition, after) = condition(rest)?;
        let trimmed = after.trim_start();
        // `1.2 - 1.4` stands for `>=1.2, <=1.4`.
        if let Some(upper) = trimmed.strip_prefix('-')
            && trimmed.len() < after.len()
            && upper.starts_with(char::is_whitespace)
            && rest.starts_with(|c: char| c == 'v' || is_number_part(c))
        {
            let (mut upper, after) = self::condition(upper.trim_start())?;
            if upper.operator != RangeOperator::Matches {
                return None;
            }
            upper.operator = RangeOperator::AtMost;
            let operator = RangeOperator::AtLeast;
            all.extend([
                VersionCondition {
                    operator,
                    ..condition
                },
                upper,
            ]);
            rest = after;
        } else {
            all.push(condition);
            rest = after;
        }
        let next = rest.trim_start();
        if next.is_empty() {
            let takes_prereleases = all.iter().any(|one| !one.version.pre.is_empty());
            return Some(Conditions {
                all,
                takes_prereleases,
            });
        }
        match next.strip_prefix(',') {
            Some(after) => rest = after.trim_start(),
            None if next.len() < rest.len() => rest = next,
            None => return None,
        }
    }
}

/// The condition at the start of a text, and what comes after it.
fn condition(text: &str) -> Option<(VersionCondition, &str)> {
    let named = OPERATORS
        .iter()
        .find_map(|(sign, operator)| Some((*operator, text.strip_prefix(sign)?)));
    let (operator, rest) = named.unwrap_or((RangeOperator::Matches, text));
    let written = written(rest.trim_start())?;
    let [major, minor, patch] = written.numbers;
    let given = match (major, minor, patch) {
        (Some(major), ..) if is_any(major) => Given::Nothing,
        (_, minor, _) if minor.is_none_or(is_any) => Given::Major,
        (_, _, patch) if patch.is_none_or(is_any) => Given::Minor,
        _ => Given::All,
    };
    let part = |least: Given, text: Option<&str>| {
        if (given as u8) < (least as u8) {
            Some(0)
        } else {
            number(text?)
        }
    };
    let version = Version {
        major: part(Given::Major, major)?,
        minor: part(Given::Minor, minor)?,
        patch: part(Given::All, patch)?,
        pre: Prerelease::new(written.pre).ok()?,
        build: BuildMetadata::EMPTY,
    };
    let condition = VersionCondition {
        operator,
        version,
        given,
    };
    Some((condition, written.rest))
}

impl VersionCondition {
    fn holds(&self, version: &Version) -> bool {
        let own = &self.version;
        let order = version.cmp_precedence(own);
        let (same_major, same_minor) = (version.major == own.major, version.minor == own.minor);
        match self.operator {
            RangeOperator::Matches if self.given == Given::All => order == Ordering::Equal,
            RangeOperator::Matches | RangeOperator::Tilde => self.is_near(version),
            RangeOperator::NotEqual => match self.given {
                Given::Major => !same_major,
                Given::Minor => !same_major || !same_minor || version.pre != own.pre,
                Given::Nothing | Given::All => order.is_ne(),
            },
            RangeOperator::Above => match self.given {
                Given::Major => version.major > own.major,
                Given::Minor => (version.major, version.minor) > (own.major, own.minor),
                Given::Nothing | Given::All => order.is_gt(),
            },
            RangeOperator::Below => order.is_lt(),
            RangeOperator::AtLeast => order.is_ge(),
            RangeOperator::AtMost => match self.given {
                Given::All => order.is_le(),
                Given::Major => version.major <= own.major,
                Given::Nothing | Given::Minor => {
                    (version.major, version.minor) <= (own.major, own.minor)
                }
            },
            RangeOperator::Caret => self.is_compatible(version),
        }
    }

    /// `~1.2` and `1.2`: the same as far as it is written. `~0.0.0` is every version.
    fn is_near(&self, version: &Version) -> bool {
        let own = &self.version;
        if version.cmp_precedence(own).is_lt() {
            return false;
        }
        let is_zero = (own.major, own.minor, own.patch) == (0, 0, 0);
        if is_zero && matches!(self.given, Given::Nothing | Given::All) {
            return true;
        }
        version.major == own.major && (self.given == Given::Major || version.minor == own.minor)
    }

    /// `^1.2`: up to the next change of the first number that is not zero.
    fn is_compatible(&self, version: &Version) -> bool {
        let own = &self.version;
        if version.cmp_precedence(own).is_lt() || version.major != own.major {
            return false;
        }
        if own.major > 0 || self.given == Given::Major {
            return true;
        }
        if own.minor > 0 || self.given == Given::Minor {
            return version.minor == own.minor;
        }
        version.minor == 0 && version.patch == own.patch
    }
}

/// The parts of a version as they are written.
struct VersionText<'t> {
    numbers: [Option<&'t str>; 3],
    pre: &'t str,
    build: &'t str,
    rest: &'t str,
}

/// Splits the version at the start of a text. None if there is none.
fn written(text: &str) -> Option<VersionText<'_>> {
    let mut rest = text.strip_prefix('v').unwrap_or(text);
    let mut numbers = [None; 3];
    for (at, number) in numbers.iter_mut().enumerate() {
        let start = if at == 0 {
            Some(rest)
        } else {
            rest.strip_prefix('.')
        };
        let Some(start) = start else { break };
        let (part, after) = split(start, is_number_part);
        if part.is_empty() {
            return None;
        }
        *number = Some(part);
        rest = after;
    }
    let (mut pre, mut build) = ("", "");
    if let Some(after) = rest.strip_prefix('-') {
        (pre, rest) = split(after, is_label_part);
        if pre.is_empty() {
            return None;
        }
    }
    if let Some(after) = rest.strip_prefix('+') {
        (build, rest) = split(after, is_label_part);
        if build.is_empty() {
            return None;
        }
    }
    Some(VersionText {
        numbers,
        pre,
        build,
        rest,
    })
}

fn split(text: &str, is_part: fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len()))
}

fn is_number_part(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, 'x' | 'X' | '*')
}

fn is_label_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.')
}

fn is_any(part: &str) -> bool {
    matches!(part, "x" | "X" | "*")
}

fn number(part: &str) -> Option<u64> {
    part.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Masterminds/semver 3.5.0 says of these ranges and versions.
    const RECORDED: &str = include_str!("range.txt");

    #[test]
    fn ranges_contain_what_masterminds_says() {
        let mut lines = RECORDED.lines();
        let versions: Vec<&str> = lines.next().unwrap().split_whitespace().skip(2).collect();
        assert!(versions.len() > 20);
        let mut checked = 0;
        for line in lines {
            let (range, expected) = line.split_once('\t').unwrap();
            let parsed = VersionRange::parse(range);
            let found = match &parsed {
                None => "invalid".to_owned(),
                Some(parsed) => {
                    let is_in = |text: &&&str| {
                        let version = ChartVersion::parse(text);
                        version.is_some_and(|version| parsed.contains(&version))
                    };
                    let inside: Vec<&str> = versions.iter().filter(is_in).copied().collect();
                    inside.join(" ")
                }
            };
            assert_eq!(found, expected, "{range}");
            checked += 1;
        }
        assert!(checked > 100, "{checked}");
    }

    #[test]
    fn ranges_without_end_are_refused() {
        assert!(VersionRange::parse(&">=1 ".repeat(200)).is_none());
        assert!(VersionRange::parse(&["1"; 33].join("||")).is_none());
        assert!(VersionRange::parse(&["1"; 32].join("||")).is_some());
    }

    #[test]
    fn build_metadata_does_not_count_in_the_order() {
        let version = |text| ChartVersion::parse(text).unwrap();
        assert!(version("1.2.3+a").order(&version("1.2.3+b")).is_eq());
        assert!(version("1.10").order(&version("v1.9.9")).is_gt());
    }
}
