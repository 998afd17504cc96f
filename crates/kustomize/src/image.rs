//! The `images` field: changes the name, tag or digest of images in containers.

use std::borrow::Cow;

use super::field::ObjectField;
use super::item::BuildObject;
use super::transform::set;
use crate::Image;
use base::Finding;
use base::pattern::Regex;
use yaml::{Node, Value};

/// Applies the entries in order, each to the result of the one before.
pub fn images(
    items: &mut [BuildObject],
    images: &[Image],
    fields: &[&ObjectField],
    findings: &mut Vec<Finding>,
) {
    let changes: Vec<ImageChange<'_>> = images
        .iter()
        .filter_map(|image| {
            let change = ImageChange::new(image);
            if change.is_none() {
                findings.push(
                    Finding::error(
                        "image-invalid",
                        image.place,
                        format!(
                            "`{}` is not a valid regular expression, so the kustomize build fails",
                            image.name
                        ),
                    )
                    .help("write the image name without the tag"),
                );
            }
            change
        })
        .collect();
    if changes.is_empty() {
        return;
    }
    for item in items
        .iter_mut()
        .filter(|item| item.id.kind != "CustomResourceDefinition")
    {
        let id = item.id.clone();
        let fields: Vec<&ObjectField> = fields
            .iter()
            .copied()
            .filter(|field| field.applies_to(&id))
            .collect();
        for change in &changes {
            if in_containers(&item.node, change) {
                change_containers(item.node_mut(), change);
            }
            for field in &fields {
                let named =
                    super::field::any(&item.node, &field.path, &mut |node| change.fits(node));
                if named {
                    set(item, field, &|node| change.apply(node));
                }
            }
        }
    }
}

/// Changes every list of containers, wherever it is, so that custom resources are covered.
fn in_containers(node: &Node, change: &ImageChange<'_>) -> bool {
    match &node.value {
        Value::Scalar(_) => false,
        Value::Seq(items) => items.iter().any(|item| in_containers(item, change)),
        Value::Map(map) => map.0.iter().any(|entry| {
            if is_containers(&entry.key) {
                entry.value.items().iter().any(|container| {
                    container
                        .get("image")
                        .is_some_and(|image| change.fits(image))
                })
            } else {
                in_containers(&entry.value, change)
            }
        }),
    }
}

fn change_containers(node: &mut Node, change: &ImageChange<'_>) {
    match &mut node.value {
        Value::Scalar(_) => {}
        Value::Seq(items) => items
            .iter_mut()
            .for_each(|item| change_containers(item, change)),
        Value::Map(map) => {
            for entry in &mut map.0 {
                if is_containers(&entry.key) {
                    let containers = entry.value.as_seq_mut().into_iter().flatten();
                    for container in containers {
                        if let Some(image) = container.get_mut("image") {
                            change.apply(image);
                        }
                    }
                } else {
                    change_containers(&mut entry.value, change);
                }
            }
        }
    }
}

fn is_containers(key: &str) -> bool {
    matches!(key, "containers" | "initContainers")
}

struct ImageChange<'a> {
    image: &'a Image,
    name: NamePattern<'a>,
}

enum NamePattern<'a> {
    /// A pattern without special characters except the dot, which matches any character: comparison suffices.
    Text(&'a str),
    Expression(Regex),
}

impl<'a> ImageChange<'a> {
    fn new(image: &'a Image) -> Option<ImageChange<'a>> {
        let name = image.name.as_str();
        let plain = name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_/:.".contains(c));
        Some(ImageChange {
            image,
            name: if plain {
                NamePattern::Text(name)
            } else {
                NamePattern::Expression(
                    Regex::new(&format!(
                        "^{name}(:[a-zA-Z0-9_.{{}}-]*)?(@sha256:[a-zA-Z0-9_.{{}}-]*)?$"
                    ))
                    .ok()?,
                )
            },
        })
    }

    fn fits(&self, node: &Node) -> bool {
        let Some(text) = node.as_scalar().map(|scalar| scalar.text.as_str()) else {
            return false;
        };
        match &self.name {
            NamePattern::Expression(expression) => expression.is_match(text),
            NamePattern::Text(name) => after(text, name).is_some_and(is_tag_and_digest),
        }
    }

    fn apply(&self, node: &mut Node) {
        if !self.fits(node) {
            return;
        }
        let old = node
            .as_scalar()
            .map(|scalar| scalar.text.clone())
            .unwrap_or_default();
        let (mut name, tag, mut digest) = split_image(&old);
        let image = self.image;
        if !image.new_name.is_empty() {
            name = &image.new_name;
        }
        let mut tag: Option<Cow<'_, str>> = tag.filter(|tag| !tag.is_empty()).map(Cow::Borrowed);
        if !image.new_tag.is_empty() {
            tag = Some(Cow::Borrowed(image.new_tag.as_str()));
            digest = None;
        }
        if !image.digest.is_empty() {
            tag = tag.filter(|_| !image.new_tag.is_empty());
            digest = Some(image.digest.as_str());
        } else if image.new_tag.is_empty() && !image.tag_suffix.is_empty() {
            tag = Some(format!("{}{}", tag.unwrap_or_default(), image.tag_suffix).into());
            digest = None;
        }
        let tag = tag.map(|tag| format!(":{tag}")).unwrap_or_default();
        let digest = digest
            .map(|digest| format!("@{digest}"))
            .unwrap_or_default();
        *node = Node::string(format!("{name}{tag}{digest}"), image.place);
    }
}

/// The rest of a text after a name.
fn after<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = text.chars();
    for wanted in name.chars() {
        let fits = |c: char| c == wanted || wanted == '.' && c != '\n';
        rest.next().filter(|c| fits(*c))?;
    }
    Some(rest.as_str())
}

/// Whether a text is `:tag`, `@sha256:digest`, both or empty.
fn is_tag_and_digest(rest: &str) -> bool {
    let within = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_.{}-".contains(&byte))
    };
    let (tag, digest) = match rest.split_once('@') {
        Some((tag, digest)) => (tag, Some(digest)),
        None => (rest, None),
    };
    (tag.is_empty() || tag.strip_prefix(':').is_some_and(within))
        && digest.is_none_or(|digest| digest.strip_prefix("sha256:").is_some_and(within))
}

/// Name, tag and digest of an image. A port in the registry is not a tag.
fn split_image(image: &str) -> (&str, Option<&str>, Option<&str>) {
    let start = image.find('/').unwrap_or(0);
    let (rest, digest) = match image[start..].find('@') {
        Some(at) => (&image[..start + at], Some(&image[start + at + 1..])),
        None => (image, None),
    };
    match rest[start..].find(':') {
        Some(at) => (&rest[..start + at], Some(&rest[start + at + 1..]), digest),
        None => (rest, None, digest),
    }
}
