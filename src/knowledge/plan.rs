//! Files that a spec says to create, modify or delete.

use markdown::{Block, BlockKind};

use super::artifact::ArtifactClaim;
use claims::looks_like_path;

/// A file that a spec says to do something to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    pub path: String,
    pub claim: ArtifactClaim,
    pub line: u32,
}

/// Files that sentences say to create, modify or delete: `Create`, and then a path.
pub fn planned(blocks: &[Block]) -> Vec<Planned> {
    let mut planned: Vec<Planned> = Vec::new();
    // "Create the following files in `dir/`:", and then headings with their names.
    let mut directory: Option<String> = None;
    for block in blocks {
        let (text, is_heading) = match &block.kind {
            BlockKind::Heading { text, .. } => (text, true),
            BlockKind::Paragraph(text) | BlockKind::Item { text, .. } => (text, false),
            _ => continue,
        };
        let mut add = |path: &str, claim: ArtifactClaim| {
            let known = planned
                .iter()
                .any(|one| one.path == path && one.claim == claim);
            if !known {
                let (path, line) = (path.to_owned(), block.line);
                planned.push(Planned { path, claim, line });
            }
        };
        let claim = claim_of(&text.plain);
        match (claim, is_heading) {
            (Some(claim), _) => {
                for path in text.codes().filter(|code| looks_like_path(code)) {
                    add(path.trim_start_matches("./"), claim.clone());
                    if path.ends_with('/') && claim == ArtifactClaim::Created {
                        directory = Some(path.trim_start_matches("./").to_owned());
                    }
                }
            }
            (None, true) => {
                let mut codes = text.codes();
                let name = codes
                    .next()
                    .filter(|code| code.contains('.') && !code.contains(['/', ' ']));
                match (&directory, name) {
                    (Some(directory), Some(name)) if text.plain.trim() == name => {
                        add(&format!("{directory}{name}"), ArtifactClaim::Created);
                    }
                    _ => directory = None,
                }
            }
            (None, false) => {}
        }
    }
    planned
}

fn claim_of(sentence: &str) -> Option<ArtifactClaim> {
    let lower = sentence
        .trim_start_matches(|c: char| !c.is_alphabetic())
        .to_lowercase();
    let word = lower.split(|c: char| !c.is_alphabetic()).next()?;
    match word {
        "create" | "write" | "add" if lower.starts_with("add") && lower.contains(" to ") => {
            Some(ArtifactClaim::Modified)
        }
        "create" | "write" | "add" => Some(ArtifactClaim::Created),
        "update" | "modify" | "edit" | "change" | "extend" => Some(ArtifactClaim::Modified),
        "delete" | "remove" => Some(ArtifactClaim::Deleted),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use markdown;

    #[test]
    fn what_a_spec_says_to_do_with_files_is_read() {
        let text = "## 1. Create `k8s/eso/` directory\n\nCreate the following files in `k8s/eso/`:\n\n### `namespace.yaml`\n\n```yaml\na: 1\n```\n\n### `release.yaml`\n\n## 2. Update `k8s/kustomization.yaml`\n\n**Delete** `k8s/old.yaml`.\n\nThe file `k8s/other.yaml` stays.\n\nAdd `x-sync.yaml` to the list.\n";
        let found = planned(&markdown::blocks(text).blocks);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|one| (one.path.as_str(), one.claim.name()))
            .collect();
        assert_eq!(
            found,
            [
                ("k8s/eso/", "created"),
                ("k8s/eso/namespace.yaml", "created"),
                ("k8s/eso/release.yaml", "created"),
                ("k8s/kustomization.yaml", "modified"),
                ("k8s/old.yaml", "deleted"),
                ("x-sync.yaml", "modified"),
            ]
        );
    }
}
