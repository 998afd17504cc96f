//! Images in the forms that charts and operators have for them.

use smol_str::SmolStr;

use super::template::Scope;
use crate::facts::Located;
use crate::facts::image::is_reference;
use yaml::{Entry, Node};

/// The image that a mapping states: `{registry: a.io, repository: b/c, tag: "1"}`.
pub fn of_map(node: &Node, key: &str, scope: &Scope<'_>) -> Option<Located<SmolStr>> {
    let is_image = ends_in_image(key);
    let text = |key: &str| {
        let node = node.get(key)?;
        Some((scope.resolved(node.text()?)?, node.place))
    };
    let registry = text("registry");
    let (repository, place) = text("repository")
        .or_else(|| is_image.then(|| text("name")).flatten())
        // Some charts have the whole path there.
        .or_else(|| {
            registry
                .clone()
                .filter(|(registry, _)| is_image && registry.contains('/'))
        })?;
    let (tag, digest) = (text("tag"), text("digest").or_else(|| text("sha")));
    let mut name = match &registry {
        Some((registry, _)) if *registry != repository => format!("{registry}/{repository}"),
        _ => repository.into_owned(),
    };
    match (tag, digest) {
        (Some((tag, _)), _) => name += &format!(":{tag}"),
        (None, Some((digest, _))) => name += &format!("@{digest}"),
        (None, None) if is_image => {}
        (None, None) => return None,
    }
    is_reference(&name).then(|| Located {
        value: name.into(),
        place,
    })
}

/// The image that an entry of a mapping states: `image: a/b:1`, or with the tag beside it: `imageTag`.
pub fn of_entry(
    entry: &Entry,
    parent: &Node,
    parent_key: &str,
    scope: &Scope<'_>,
) -> Option<Located<SmolStr>> {
    let is_image = ends_in_image(&entry.key) || entry.key == "imageName";
    // `images: {web: a/b:1}`
    let is_listed = parent_key == "images" && entry.value.text()?.contains('/');
    if !is_image && !is_listed {
        return None;
    }
    let text = scope.resolved(entry.value.text()?)?;
    let located = |name: &str| {
        is_reference(name).then(|| Located {
            value: name.into(),
            place: entry.value.place,
        })
    };
    if let Some(image) = located(&text) {
        return Some(image);
    }
    let beside = format!("{}Tag", entry.key);
    let is_plain = entry.key == "image";
    let tags = [Some(beside.as_str()), is_plain.then_some("tag")];
    let tag = tags
        .into_iter()
        .flatten()
        .find_map(|key| parent.text_at(&[key]))?;
    located(&format!("{text}:{}", scope.resolved(tag)?))
}

/// Whether a key names an image: `image`, `sidecarImage`, `IMAGE`.
pub fn ends_in_image(key: &str) -> bool {
    let start = key.len().checked_sub("image".len());
    let end = start.and_then(|start| key.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case("image"))
}
