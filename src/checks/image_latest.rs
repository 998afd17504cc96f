//! `image-latest`: a workload whose image is tagged `latest` or not at all.

use super::{Check, CheckContext, wording};
use crate::input::repo::RepoPath;
use base::hash::HashSet;
use base::text::{has_gap, last_part};
use base::{Finding, Rule, Severity};

pub struct ImageLatest;

pub static RULE: Rule = Rule {
    name: "image-latest",
    severity: Severity::Warning,
    skips_input: false,
    security: None,
    summary: "A workload uses an image tagged `latest`, or one without a tag.",
    about: r#"
## What it does

Checks for images with the tag `latest`, or with neither a tag nor a digest, in workloads and in the values of Helm releases.
Images that a tool (Skaffold, ko) builds and puts into the manifests when it deploys them are left out.

## Why is this bad?

Two pods of one Deployment can run different versions, depending on when their nodes pulled the image. Nothing records which
version was running when it broke, and there is nothing to roll back to.

## Example

```yaml
containers:
  - name: web
    image: nginx
```

## Use instead

```yaml
containers:
  - name: web
    image: nginx:1.29.3
```
"#,
};

impl Check for ImageLatest {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for cluster in context.clusters {
            for (_, object) in cluster.objects() {
                let statement = &object.statement;
                let workload = statement
                    .runs
                    .workload
                    .iter()
                    .flat_map(|workload| &workload.images);
                let mut seen = HashSet::default();
                let moving: Vec<_> = workload
                    .chain(&statement.runs.images)
                    .filter(|image| is_moving(&image.value))
                    .filter(|image| !context.inventory.built_images.contains(&image.value))
                    // Two containers may take theirs from one place.
                    .filter(|image| seen.insert((&image.value, image.place)))
                    .collect();
                let Some(first) = moving.first() else {
                    continue;
                };
                let message = format!(
                    "{} runs `{}`, which is not pinned and can change at any time",
                    statement.id, first.value
                );
                let mut finding = Finding::warning(RULE.name, first.place, message)
                    .help("use a version tag or a digest");
                for image in wording::some(&moving[1..]) {
                    finding = finding.note(
                        image.place,
                        format!("`{}` is not pinned either", image.value),
                    );
                }
                for image in &moving {
                    let name = format_args!("{} {}", statement.id, image.value);
                    finding = finding.covers(image.place, name);
                }
                // The same image in the next file is the same slip.
                let directory = context.repo.path(first.place.file).parent();
                let directory = directory.unwrap_or_else(RepoPath::root);
                finding = finding.cause(format_args!("{directory} {}", first.value));
                findings.push(finding);
            }
        }
        findings
    }
}

/// Tags that publishers move to every new build.
const MOVING: &[&str] = &["latest", "main", "master", "edge", "nightly"];

/// Whether the same image name can mean a different image later.
fn is_moving(image: &str) -> bool {
    if image.trim().is_empty() || has_gap(image) || image.contains('@') || is_import_path(image) {
        return false;
    }
    match last_part(image).split_once(':') {
        Some((_, tag)) => MOVING.contains(&tag),
        None => true,
    }
}

/// Whether an image is the import path of a Go program, which `ko` builds and replaces. No registry has this name.
fn is_import_path(image: &str) -> bool {
    image.starts_with("ko://") || image.starts_with("github.com/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_without_version_is_the_latest() {
        for image in [
            "nginx",
            "ghcr.io/a/b:latest",
            "localhost:5000/web",
            "a:main",
            "a:nightly",
        ] {
            assert!(is_moving(image), "{image}");
        }
        for image in [
            "nginx:1.29",
            "a/b@sha256:0123",
            "nginx:${TAG}",
            "ko://github.com/acme/shop/cmd/web",
            "github.com/acme/shop/cmd/web",
            "",
            " ",
            "{{ x }}",
        ] {
            assert!(!is_moving(image), "{image}");
        }
    }
}
