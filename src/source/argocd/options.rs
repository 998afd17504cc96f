//! What an Application changes in what it builds: the options of its kustomize and directory sources.

use smol_str::SmolStr;

use super::super::kustomize::{entries, located, patches, replica, text};
use crate::diagnostic::Finding;
use crate::fact::{Build, Image, LabelReach, LabelSet, Listing, Sieve};
use crate::yaml::Node;

/// Which files are taken of a directory that has no kustomization.
pub fn listing(source: &Node) -> Listing {
    let Some(directory) = source.get("directory") else {
        return Listing::Files(Sieve::default());
    };
    let sieve = Sieve {
        include: text(directory, "include"),
        exclude: text(directory, "exclude"),
    };
    match directory.get("recurse").and_then(Node::as_bool) {
        Some(true) => Listing::FilesBelow(sieve),
        _ => Listing::Files(sieve),
    }
}

pub fn kustomize(options: &Node, build: &mut Build) {
    let flag = |key: &str| options.get(key).and_then(Node::as_bool).unwrap_or(false);
    build.target_namespace = options.get("namespace").and_then(located);
    build.name_prefix = text(options, "namePrefix");
    build.name_suffix = text(options, "nameSuffix");
    build.patches = patches(options, "patches");
    build.components = options
        .items_at("components")
        .iter()
        .filter_map(located)
        .collect();
    build.images = options
        .items_at("images")
        .iter()
        .filter_map(image)
        .collect();
    build.replicas = options
        .items_at("replicas")
        .iter()
        .filter_map(replica)
        .collect();
    if options.get("commonLabels").is_some() {
        build.labels.push(LabelSet {
            pairs: entries(options, "commonLabels"),
            reach: match (flag("labelWithoutSelector"), flag("labelIncludeTemplates")) {
                (false, _) => LabelReach::Everything,
                (true, true) => LabelReach::Templates,
                (true, false) => LabelReach::Metadata,
            },
            fields: Vec::new(),
        });
    }
    build.annotations = entries(options, "commonAnnotations");
}

/// `old=new:tag`, `old:tag`, `old=new@digest`: what is put in place of an image.
fn image(node: &Node) -> Option<Image> {
    let stated = node.text()?;
    let (old, new) = match stated.split_once('=') {
        Some((old, new)) => (Some(old), new),
        None => (None, stated),
    };
    let (rest, digest) = new.split_once('@').unwrap_or((new, ""));
    // A port is part of the name.
    let (name, tag) = match rest.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, tag),
        _ => (rest, ""),
    };
    let replaced = old.unwrap_or(name);
    Some(Image {
        name: replaced.into(),
        new_name: match name == replaced {
            true => SmolStr::default(),
            false => name.into(),
        },
        new_tag: tag.into(),
        tag_suffix: SmolStr::default(),
        digest: digest.into(),
        place: node.place,
    })
}

/// What a source has done to it that cannot be followed here.
pub fn unfollowed(source: &Node) -> Option<Finding> {
    let jsonnet = source.at(&["directory", "jsonnet"]);
    let jsonnet = jsonnet.filter(|node| !node.entries().is_empty());
    let (node, what) = match (source.get("plugin"), jsonnet) {
        (Some(plugin), _) => (plugin, "a plugin makes its objects"),
        (None, Some(jsonnet)) => (jsonnet, "Jsonnet makes some of its objects"),
        (None, None) => return None,
    };
    Some(
        Finding::info(
            "template-unfollowed",
            node.place,
            format!("{what}, which is not followed; what it makes is missing here"),
        )
        .help("nothing to do, if what is shown without it is enough"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Place;

    #[test]
    fn images_are_read_in_every_form() {
        let read = |text: &str| {
            let image = image(&Node::string(text, Place::default())).unwrap();
            [image.name, image.new_name, image.new_tag, image.digest].map(String::from)
        };
        assert_eq!(read("a/b=c:5000/d:1"), ["a/b", "c:5000/d", "1", ""]);
        assert_eq!(read("a:2"), ["a", "", "2", ""]);
        assert_eq!(read("a=b@sha256:1"), ["a", "b", "", "sha256:1"]);
        assert_eq!(read("c:5000/d"), ["c:5000/d", "", "", ""]);
    }
}
