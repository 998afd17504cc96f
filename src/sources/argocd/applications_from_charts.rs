//! Which templates of a chart make Applications, as far as their texts say so.

use smol_str::SmolStr;

use crate::input::repo::{Repo, RepoPath};
use base::FileId;

#[derive(Debug, Default)]
pub struct ApplicationTemplates {
    /// All templates but helpers.
    pub all: Vec<FileId>,
    /// Templates that state Applications.
    pub files: Vec<FileId>,
    /// Others that include helpers, and whether a helper states Applications.
    pub including: Vec<FileId>,
    pub helper_makes: bool,
    pub borrowed: Vec<Borrowed>,
}

/// Named template that a template includes instead of declaring objects.
#[derive(Debug, Clone)]
pub struct Borrowed {
    pub file: FileId,
    pub line: u32,
    pub name: SmolStr,
}

/// The templates of the chart in a directory, independent of its values.
pub fn find(repo: &Repo, chart: &RepoPath) -> ApplicationTemplates {
    let mut found = ApplicationTemplates::default();
    for file in below_templates(repo, chart) {
        let is_template = matches!(repo.path(file).extension(), Some("yaml" | "yml" | "tpl"));
        let Some(Ok(text)) = is_template.then(|| repo.read_text(file)) else {
            continue;
        };
        if is_helper(repo, file) {
            found.helper_makes |= makes_any(&text);
            continue;
        }
        found.all.push(file);
        if makes_any(&text) {
            found.files.push(file);
        } else if text.contains("include ") || text.contains("template ") {
            found.including.push(file);
            found.borrowed.extend(borrowed(&text, file));
        }
    }
    found
}

fn makes_any(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    text.contains("argoproj.io/v1alpha1")
        && lines.any(|line| matches!(line, "kind: Application" | "kind: ApplicationSet"))
}

/// Includes of a template without objects of its own, if their names suggest that they create Applications.
fn borrowed(text: &str, file: FileId) -> Vec<Borrowed> {
    let mut lines = text.lines();
    if lines.any(|line| line.trim_start().starts_with("kind:")) {
        return Vec::new();
    }
    let lines = text.lines().zip(1..);
    let included = lines.filter_map(|(text, line)| {
        let mut words = ["include \"", "template \""].into_iter();
        let rest = words.find_map(|word| Some(text.split_once(word)?.1))?;
        let (name, _) = rest.split_once('"')?;
        is_of_applications(name).then(|| Borrowed {
            file,
            line,
            name: name.into(),
        })
    });
    included.collect()
}

fn is_of_applications(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    let last = name.rsplit('.').next().unwrap_or(&name);
    last.contains("application") || parts.any(|part| part.starts_with("argo"))
}

fn is_helper(repo: &Repo, file: FileId) -> bool {
    repo.path(file).file_name().starts_with('_')
}

/// The files whose texts others include.
pub fn helpers(repo: &Repo, chart: &RepoPath) -> impl Iterator<Item = FileId> {
    below_templates(repo, chart).filter(move |file| is_helper(repo, *file))
}

fn below_templates(repo: &Repo, chart: &RepoPath) -> impl Iterator<Item = FileId> + use<> {
    let templates = chart.join("templates");
    let files = templates.map(|templates| repo.below(&templates));
    files.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(u32, SmolStr)> {
        let found = borrowed(text, FileId(0)).into_iter();
        found.map(|one| (one.line, one.name)).collect()
    }

    #[test]
    fn only_what_is_called_like_applications_and_stands_alone_is_borrowed() {
        let alone =
            "{{- range .Values.apps }}\n{{ include \"common.application\" . }}\n{{- end }}\n";
        assert_eq!(names(alone), [(2, SmolStr::from("common.application"))]);
        assert_eq!(names("{{ template \"lib.argocd.app\" . }}").len(), 1);
        assert!(names("{{ include \"application.deployment\" . }}").is_empty());
        assert!(names("{{ include \"cargo.loader\" . }}").is_empty());
        let beside = "kind: Deployment\nmetadata: {{ include \"x.application\" . }}\n";
        assert!(names(beside).is_empty());
    }
}
