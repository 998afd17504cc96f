//! A case is data: one Markdown file with the files of a small repository in fenced blocks, and
//! sections that say what is expected of it.

use std::fs;
use std::path::{Path, PathBuf};

use base::Rule;
use base64::Engine;
use catalog::checks;
use tempfile::TempDir;

pub struct Case {
    pub name: String,
    pub title: String,
    /// Path and content.
    pub files: Vec<(String, Vec<u8>)>,
    pub sections: Vec<Section>,
}

/// A `## Heading` and the first fenced block below it.
pub struct Section {
    pub heading: String,
    pub block: String,
}

/// All cases in a directory below `tests/cases`, by name.
pub fn all(directory: &str) -> Vec<Case> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(directory);
    let mut paths: Vec<PathBuf> = fs::read_dir(&directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

impl Case {
    /// The case's files in a directory of their own.
    pub fn lay_out(&self) -> TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (path, content) in &self.files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        directory
    }
}

fn read(path: &Path) -> Case {
    let text = fs::read_to_string(path).unwrap();
    let mut case = Case {
        name: path.file_stem().unwrap().to_string_lossy().into_owned(),
        title: String::new(),
        files: Vec::new(),
        sections: Vec::new(),
    };
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("# ") {
            case.title = title.to_owned();
        } else if let Some(heading) = line.strip_prefix("## ") {
            case.sections.push(Section {
                heading: heading.to_owned(),
                block: String::new(),
            });
        } else if line.starts_with("```") {
            let fence = &line[..line.len() - line.trim_start_matches('`').len()];
            let info = line.trim_start_matches('`');
            let mut block = String::new();
            for line in lines.by_ref().take_while(|line| *line != fence) {
                block += line;
                block += "\n";
            }
            match info.split_once("file=") {
                Some((language, file)) => {
                    let content = match language.trim() {
                        "base64" => base64::engine::general_purpose::STANDARD
                            .decode(block.replace('\n', ""))
                            .unwrap(),
                        _ => block.into_bytes(),
                    };
                    case.files.push((file.to_owned(), content));
                }
                None => {
                    let section = case.sections.last_mut().expect("a block follows a heading");
                    section.block = block;
                }
            }
        }
    }
    assert!(!case.title.is_empty(), "{}: no title", case.name);
    case
}

/// The rules of a topic of docs/checks.md.
pub fn rules(topic: &str) -> Vec<&'static Rule> {
    let mut topics = checks::topics().into_iter();
    let own = topics.find(|one| one.title == topic);
    own.unwrap_or_else(|| panic!("no topic {topic}")).rules
}

/// Holds the cases of a directory to what stands under a heading in each; `UPDATE_GOLDEN` writes it there.
pub fn compare(directory: &str, heading: &str, found: impl Fn(&Case) -> String) {
    let mut wrong = Vec::new();
    for case in all(directory) {
        let found = found(&case);
        let expected = case.sections.iter().find(|one| one.heading == heading);
        let expected = &expected
            .unwrap_or_else(|| panic!("{}: no `{heading}`", case.name))
            .block;
        if found == *expected {
            continue;
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            rewrite(directory, &case.name, heading, &found);
            continue;
        }
        wrong.push(format!(
            "{}: {}\nexpected:\n{expected}found:\n{found}",
            case.name, case.title
        ));
    }
    assert!(
        wrong.is_empty(),
        "run the tests once with UPDATE_GOLDEN=1 and read the difference\n{}",
        wrong.join("\n")
    );
}

fn rewrite(directory: &str, case: &str, heading: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.join(format!("tests/cases/{directory}/{case}.md"));
    let text = fs::read_to_string(&path).unwrap();
    let (before, after) = text.split_once(&format!("## {heading}")).unwrap();
    // The first fenced block below the heading is replaced; what follows it stays.
    let (_, block) = after.split_once("\n```").unwrap();
    let (_, after) = block.split_once("\n```\n").unwrap();
    let section = format!("{before}## {heading}\n\n```text\n{found}```\n{after}");
    fs::write(&path, section).unwrap();
}
