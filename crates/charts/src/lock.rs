//! `catalog.lock`: which archive each request led to. Sorted, so that it merges and compares well.

use std::collections::BTreeMap;
use std::fmt::Write;

use thiserror::Error;

use crate::digest::ContentDigest;
use crate::request::ChartRequest;

/// The name of the file, beside `catalog.toml`.
pub const LOCK_FILE: &str = "catalog.lock";
/// A larger file is none that was written here.
pub const MAX_LOCK_BYTES: u64 = 4 * 1024 * 1024;
const FORMAT: &str = "1";
const HEAD: &str = "# Charts that `catalog fetch` resolved. Commit this file; `catalog fetch --update` resolves ranges again.\n";

/// The content of a lock file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChartLock {
    /// The directory in the repository that holds the archives, if they are not in the user's cache.
    pub vendor: Option<String>,
    pub charts: BTreeMap<ChartRequest, LockedChart>,
}

/// The archive that a request led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedChart {
    /// The version in the chart's own `Chart.yaml`.
    pub version: String,
    pub digest: ContentDigest,
    /// The digest of its manifest in an OCI registry, or its commit in git.
    pub revision: Option<String>,
}

/// A line of a lock file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct LockError {
    pub line: usize,
    pub problem: String,
}

impl ChartLock {
    pub fn parse(text: &str) -> Result<ChartLock, LockError> {
        let mut lock = ChartLock::default();
        let mut open: Option<LockEntry> = None;
        let mut has_format = false;
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            let fault = |problem: &str| LockError {
                line: number,
                problem: problem.to_owned(),
            };
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line == "[[chart]]" {
                lock.close(open.take())?;
                open = Some(LockEntry::at(number));
                continue;
            }
            let (key, value) = line
                .split_once('=')
                .ok_or_else(|| fault("expected `key = value`"))?;
            let (key, value) = (key.trim(), value.trim());
            if key == "format" && open.is_none() {
                if value != FORMAT {
                    return Err(fault("it was written by a newer version of catalog"));
                }
                has_format = true;
                continue;
            }
            let value = unquoted(value).ok_or_else(|| fault("expected a text in quotes"))?;
            let is_new = match &mut open {
                None if key == "vendor" => lock.vendor.replace(value).is_none(),
                None => return Err(fault("unknown key")),
                Some(entry) => {
                    let field = entry.field(key).ok_or_else(|| fault("unknown key"))?;
                    field.replace(value).is_none()
                }
            };
            if !is_new {
                return Err(fault("this key is there twice"));
            }
        }
        lock.close(open)?;
        if has_format || text.trim().is_empty() {
            Ok(lock)
        } else {
            let problem = "`format = 1` is missing".to_owned();
            Err(LockError { line: 1, problem })
        }
    }

    fn close(&mut self, entry: Option<LockEntry>) -> Result<(), LockError> {
        let Some(entry) = entry else {
            return Ok(());
        };
        let line = entry.line;
        let fault = |problem: String| LockError { line, problem };
        let missing = |key: &str| fault(format!("this chart has no `{key}`"));
        let repository = entry.repository.ok_or_else(|| missing("repository"))?;
        let chart = entry.name.ok_or_else(|| missing("name"))?;
        let asked = entry.asked.ok_or_else(|| missing("asked"))?;
        let request = ChartRequest::from_texts(&repository, &chart, &asked);
        let request = request.map_err(|error| fault(error.to_string()))?;
        let digest = entry.digest.ok_or_else(|| missing("digest"))?;
        let digest = ContentDigest::parse(&digest);
        let locked = LockedChart {
            version: entry.version.ok_or_else(|| missing("version"))?,
            digest: digest.ok_or_else(|| fault("its digest is not `sha256:…`".to_owned()))?,
            revision: entry.revision,
        };
        match self.charts.insert(request, locked) {
            None => Ok(()),
            Some(_) => Err(fault("this chart is there twice".to_owned())),
        }
    }

    /// The file. The same charts always give the same bytes.
    pub fn text(&self) -> String {
        let mut text = format!("{HEAD}format = {FORMAT}\n");
        let mut put = |key: &str, value: &str| writeln!(text, "{key} = {}", quoted(value));
        // Writing to a text cannot fail.
        let _ = self.vendor.as_ref().map(|vendor| put("vendor", vendor));
        for (request, locked) in &self.charts {
            text.push_str("\n[[chart]]\n");
            let mut put = |key: &str, value: &str| writeln!(text, "{key} = {}", quoted(value));
            let _ = put("repository", &request.location());
            let _ = put("name", &request.chart);
            let _ = put("asked", &request.asked.to_string());
            let _ = put("version", &locked.version);
            let _ = put("digest", &locked.digest.to_string());
            let _ = locked.revision.as_ref().map(|it| put("revision", it));
        }
        text
    }
}

/// The keys of one `[[chart]]`.
struct LockEntry {
    line: usize,
    repository: Option<String>,
    name: Option<String>,
    asked: Option<String>,
    version: Option<String>,
    digest: Option<String>,
    revision: Option<String>,
}

impl LockEntry {
    fn at(line: usize) -> LockEntry {
        LockEntry {
            line,
            repository: None,
            name: None,
            asked: None,
            version: None,
            digest: None,
            revision: None,
        }
    }

    fn field(&mut self, key: &str) -> Option<&mut Option<String>> {
        match key {
            "repository" => Some(&mut self.repository),
            "name" => Some(&mut self.name),
            "asked" => Some(&mut self.asked),
            "version" => Some(&mut self.version),
            "digest" => Some(&mut self.digest),
            "revision" => Some(&mut self.revision),
            _ => None,
        }
    }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn unquoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut plain = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return None,
            '\\' => match chars.next()? {
                c @ ('"' | '\\') => plain.push(c),
                'u' => {
                    let digits: String = chars.by_ref().take(4).collect();
                    plain.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                }
                _ => return None,
            },
            c => plain.push(c),
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::AskedVersion;

    fn lock() -> ChartLock {
        let asked = |text: &str| AskedVersion::Version(text.to_owned());
        let locked = |version: &str, revision: Option<&str>| LockedChart {
            version: version.to_owned(),
            digest: ContentDigest::of(version.as_bytes()),
            revision: revision.map(str::to_owned),
        };
        let oci = ChartRequest::published("oci://ghcr.io/acme", "web", asked(">=1 || <0.5"));
        let http = ChartRequest::published("https://charts.example.com", "api", asked(""));
        let git = ChartRequest::git(
            "https://example.com/a",
            "",
            AskedVersion::Branch("main".into()),
        );
        ChartLock {
            vendor: Some("vendor/charts".to_owned()),
            charts: BTreeMap::from([
                (oci.unwrap(), locked("1.2.0", Some("sha256:abc"))),
                (http.unwrap(), locked("v2 \"odd\"\\\u{7}", None)),
                (git.unwrap(), locked("0.1.0", Some("cafe"))),
            ]),
        }
    }

    #[test]
    fn a_lock_is_read_as_it_was_written() {
        let text = lock().text();
        assert_eq!(ChartLock::parse(&text), Ok(lock()));
        assert_eq!(ChartLock::parse(&text).unwrap().text(), text);
        assert_eq!(ChartLock::parse(""), Ok(ChartLock::default()));
        let shuffled = text.replace(" = ", "=").replace('\n', "\r\n");
        assert_eq!(ChartLock::parse(&shuffled), Ok(lock()));
    }

    #[test]
    fn a_conflict_or_a_slip_is_named_with_its_line() {
        let text = lock().text();
        let line = |text: &str| {
            let error = ChartLock::parse(text).unwrap_err();
            (error.line, error.problem)
        };
        let conflict = text.replacen("[[chart]]", "<<<<<<< HEAD\n[[chart]]", 1);
        assert_eq!(line(&conflict).0, 5);
        assert_eq!(line(&text.replacen("format = 1", "format = 2", 1)).0, 2);
        assert!(
            line(&text.replacen("format = 1\n", "", 1))
                .1
                .contains("format")
        );
        let twice = text.replacen("asked =", "asked = \"1\"\nasked =", 1);
        assert!(line(&twice).1.contains("twice"));
        let cut = text.replacen("digest = \"sha256:", "digest = \"sha256:0", 1);
        assert!(line(&cut).1.contains("digest"));
        let both = format!("{text}{}", &text[text.find("\n[[chart]]").unwrap()..]);
        assert!(line(&both).1.contains("twice"));
        let login = text.replacen("https://charts", "https://me:word@charts", 1);
        assert!(!line(&login).1.contains("word"));
    }
}
