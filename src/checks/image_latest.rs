//! `image-latest`: a workload whose image is tagged `latest` or not at all.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::{Check, CheckContext, wording};
use crate::cluster::Cluster;
use crate::facts::Target;
use crate::facts::image::is_moving;
use base::hash::HashSet;
use base::text::last_part;
use base::{FileId, Finding, Rule, Severity};

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
Images that a tool (Skaffold, ko) builds and puts into the manifests when it deploys them are left out. One image in several
workloads is reported once, and so are several images in a list, such as that of a kustomization.

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
        let mut lists: BTreeMap<FileId, BTreeSet<SmolStr>> = BTreeMap::new();
        for cluster in context.clusters {
            let streams = pinned_by_streams(cluster);
            for (_, object) in cluster.objects() {
                let statement = &object.statement;
                // `ImageUpdater`, `ImagePolicy` and their like name images and run none.
                if statement.runs.workload.is_none() && statement.id.kind.starts_with("Image") {
                    continue;
                }
                let workload = statement
                    .runs
                    .workload
                    .iter()
                    .flat_map(|workload| &workload.images);
                let mut seen = HashSet::default();
                let moving: Vec<_> = workload
                    .chain(&statement.runs.images)
                    .filter(|image| is_moving(&image.value) && !is_of_openshift(&image.value))
                    .filter(|image| !context.inventory.built_images.contains(&image.value))
                    .filter(|image| {
                        let tag = (statement.id.namespace.as_str(), last_part(&image.value));
                        !streams.contains(&tag)
                    })
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
                // A file that sets images of objects in other files lists them together.
                if first.place.file != statement.place.file {
                    let file = lists.entry(first.place.file).or_default();
                    file.insert(first.value.clone());
                }
                findings.push((finding, first.value.clone()));
            }
        }
        // One image is one slip, however many run it, and so is one list.
        let findings = findings.into_iter().map(|(finding, image)| {
            let file = finding.place.file;
            match lists.get(&file) {
                Some(images) if images.len() > 1 => finding.cause(context.repo.path(file)),
                _ => finding.cause(image),
            }
        });
        findings.collect()
    }
}

/// Whether an image is one of those that OpenShift brings along: its release pins them.
fn is_of_openshift(image: &str) -> bool {
    let internal = image.split_once("image-registry.openshift-image-registry.svc");
    internal.is_some_and(|(before, rest)| before.is_empty() && rest.contains("/openshift/"))
}

/// The tags that ImageStreams pin, with the namespace of each.
fn pinned_by_streams(cluster: &Cluster) -> HashSet<(&str, &str)> {
    let objects = cluster.objects().map(|(_, object)| &object.statement);
    let provided = objects.flat_map(|statement| &statement.provides);
    let tags = provided.filter_map(|target| match target {
        Target::Object {
            kind,
            namespace,
            name,
        } if kind == "ImageStreamTag" => Some((namespace.as_str(), name.as_str())),
        _ => None,
    });
    tags.collect()
}
