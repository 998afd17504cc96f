//! How Argo CD matches the path patterns of git generators: as git does, unless the newer globbing is enabled.

use super::super::ReadContext;
use super::memo::Memo;
use base::glob::{self, Stars};
use yaml::{Node, Value};

const KEY: &str = "applicationsetcontroller.enable.new.git.file.globbing";
const VARIABLE: &str = "ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_NEW_GIT_FILE_GLOBBING";
const FLAG: &str = "--enable-new-git-file-globbing";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Globbing {
    /// A star matches across directories, braces are literal, and a directory matches everything in it.
    Git,
    /// A single star matches within a name, two stars match across directories.
    Stars,
}

impl Globbing {
    /// Globbing that the repo configures: in the ConfigMap, in values of the chart that creates it, or in the
    /// Deployment.
    pub fn detect(context: &ReadContext<'_>) -> Globbing {
        let is_new = *Memo::get(context).globs_by_name.get_or_init(|| {
            let mut files = context.facts.all();
            files.any(|(_, found)| {
                let objects = found.resources.iter().map(|resource| &resource.node);
                objects.chain(&found.other_documents).any(|node| asks(node))
            })
        });
        if is_new {
            Globbing::Stars
        } else {
            Globbing::Git
        }
    }

    pub fn matches(self, pattern: &str, path: &str) -> bool {
        match self {
            Globbing::Stars => glob::matches(pattern, path, Stars::Deep),
            Globbing::Git => {
                let pattern = pattern.trim_start_matches("./").trim_matches('/');
                let below = path.strip_prefix(pattern);
                below.is_some_and(|rest| pattern.is_empty() || rest.starts_with('/'))
                    || glob::matches_text(pattern, path)
            }
        }
    }
}

fn asks(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(scalar) => scalar.text.strip_prefix(FLAG).is_some_and(is_yes),
        Value::Seq(items) => items.iter().any(asks),
        Value::Map(map) => {
            let text = |key: &str| node.text_at(&[key]).unwrap_or_default();
            text("name") == VARIABLE && is_yes(text("value"))
                || map.0.iter().any(|entry| {
                    let names = matches!(entry.key.as_str(), KEY | VARIABLE);
                    names && entry.value.text().is_some_and(is_yes) || asks(&entry.value)
                })
        }
    }
}

/// A flag that nothing follows is set as well.
fn is_yes(text: &str) -> bool {
    matches!(text.trim_start_matches('='), "" | "true")
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;

    #[test]
    fn git_lets_a_star_go_across_directories() {
        let cases = [
            ("conf/*.json", "conf/a/b.json", true, false),
            ("conf/*.json", "conf/b.json", true, true),
            ("conf/**/b.json", "conf/b.json", false, true),
            ("conf/**/b.json", "conf/a/b.json", true, true),
            ("conf", "conf/a/b.json", true, false),
            ("conf/", "config/b.json", false, false),
            ("./conf/{a,b}.json", "conf/b.json", false, true),
            ("conf/?.json", "conf/b.json", true, true),
        ];
        for (pattern, path, git, stars) in cases {
            assert_eq!(Globbing::Git.matches(pattern, path), git, "{pattern}");
            assert_eq!(Globbing::Stars.matches(pattern, path), stars, "{pattern}");
        }
    }

    #[test]
    fn who_asks_for_the_newer_way_is_heard() {
        let cases = [
            (format!("data: {{{KEY}: 'true'}}"), true),
            (format!("configs: {{params: {{{KEY}: true}}}}"), true),
            (format!("data: {{{KEY}: 'false'}}"), false),
            (format!("env: [{{name: {VARIABLE}, value: 'true'}}]"), true),
            (
                format!("env: [{{name: {VARIABLE}, value: 'false'}}]"),
                false,
            ),
            (format!("args: [{FLAG}]"), true),
            (format!("args: ['{FLAG}=false']"), false),
        ];
        for (text, expected) in cases {
            let parsed = yaml::parse(&text, FileId(0));
            assert_eq!(asks(&parsed.documents[0].root), expected, "{text}");
        }
    }
}
