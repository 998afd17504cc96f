//! The main image of a release, if its values set one. Generic charts are identified by this image rather than by the
//! chart.

use std::collections::BTreeMap;

use super::MAX_SETTINGS;
use super::image::ends_in_image;
use crate::sources::charts::Values;
use crate::sources::image::{is_plain, version};

/// An image that values state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image<'s> {
    pub tag: &'s str,
    pub role: ImageRole,
}

/// How values show that an image is what they are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageRole {
    /// The image is at a path that charts use for the application image.
    Main,
    /// It is called like what is installed.
    Named,
    /// There is no other.
    Only,
}

/// The image of the application in the values of a release; none where several may be it, or its tag is not stated.
/// `names` are those of what is installed.
pub fn main_image<'s>(values: Values<'s>, release: &str, names: &[&str]) -> Option<Image<'s>> {
    // The settings were truncated, so another image may be missing from them.
    if values.statement.settings.len() >= MAX_SETTINGS {
        return None;
    }
    let stated = stated(values);
    let is_named = |image: &&Stated<'_>| {
        let is_it = |own: &str| names.iter().any(|name| name.eq_ignore_ascii_case(own));
        image.name.is_some_and(is_it)
    };
    let main = MAIN.iter().find_map(|path| stated.get(*path));
    let (image, role) = match main {
        Some(image) => (*image, ImageRole::Main),
        None => match of_controllers(&stated, release) {
            Controllers::One(image) => (image, ImageRole::Main),
            Controllers::Unclear => return None,
            Controllers::None => match one(stated.values().filter(is_named).copied()) {
                Some(image) => (image, ImageRole::Named),
                None => (one(stated.values().copied())?, ImageRole::Only),
            },
        },
    };
    Some(Image {
        tag: image.tag?,
        role,
    })
}

/// Values paths at which charts set their main image.
const MAIN: [&str; 3] = ["image", "containerImage", "deployment.image"];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Stated<'s> {
    name: Option<&'s str>,
    tag: Option<&'s str>,
}

/// Images by their path, without those that only prepare something or are switched off.
fn stated<'s>(values: Values<'s>) -> BTreeMap<&'s str, Stated<'s>> {
    let mut images: BTreeMap<&str, Stated<'_>> = BTreeMap::new();
    let mut off: Vec<&str> = Vec::new();
    for setting in &values.statement.settings {
        let Some(path) = setting.name.strip_prefix(values.prefix) else {
            continue;
        };
        let value = setting.value.as_deref();
        let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
        if key == "enabled" && value == Some("false") {
            off.push(parent);
        }
        match key {
            "repository" if ends_in_image(parent) => {
                let image = images.entry(parent).or_default();
                image.name = value.and_then(name);
            }
            // Some charts have the whole path there.
            "registry" if ends_in_image(parent) && value.is_some_and(|it| it.contains('/')) => {
                let image = images.entry(parent).or_default();
                image.name = image.name.or(value.and_then(name));
            }
            "tag" if ends_in_image(parent) => {
                let image = images.entry(parent).or_default();
                image.tag = value.and_then(tag);
            }
            _ if ends_in_image(key) => {
                let both = value.and_then(|value| value.rsplit_once(':'));
                let image = images.entry(path).or_default();
                image.name = both.and_then(|(repository, _)| name(repository));
                image.tag = both.and_then(|(_, text)| tag(text));
            }
            _ => {}
        }
    }
    let is_off = |path: &str| {
        off.iter().any(|off| {
            let rest = path.strip_prefix(off);
            off.is_empty() || rest.is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let prepares = |path: &str| {
        let mut keys = path.split(['.', '[']);
        keys.any(|key| {
            key.get(..4)
                .is_some_and(|start| start.eq_ignore_ascii_case("init"))
        })
    };
    images.retain(|path, _| !is_off(path) && !prepares(path));
    images
}

enum Controllers<'s> {
    None,
    One(Stated<'s>),
    Unclear,
}

/// `controllers.NAME.containers.NAME.image`: the container that is called like the application, in the controller that is.
fn of_controllers<'s>(images: &BTreeMap<&'s str, Stated<'s>>, release: &str) -> Controllers<'s> {
    let containers = images.iter().filter_map(|(path, image)| {
        let path = path.strip_prefix("controllers.")?.strip_suffix(".image")?;
        let (controller, container) = path.split_once(".containers.")?;
        Some((controller, container, *image))
    });
    let containers: Vec<(&str, &str, Stated<'_>)> = containers.collect();
    if containers.is_empty() {
        return Controllers::None;
    }
    let is_called_so = |name: &str| name == release || matches!(name, "main" | "app");
    let of_main = |container: &&(&str, &str, Stated<'_>)| is_called_so(container.0);
    let some: Vec<_> = if containers.iter().any(|container| of_main(&container)) {
        containers.iter().filter(of_main).collect()
    } else {
        containers.iter().collect()
    };
    let is_main = |(controller, container, _): &&&(&str, &str, Stated<'_>)| {
        is_called_so(container) || container == controller
    };
    let all = one(some.iter().map(|(_, _, image)| *image));
    let main = || one(some.iter().filter(is_main).map(|(_, _, image)| *image));
    let family = || family(some.iter().map(|(_, _, image)| *image), release);
    match all.or_else(main).or_else(family) {
        Some(image) => Controllers::One(image),
        None => Controllers::Unclear,
    }
}

/// An image of those that bear the name of the application (`shop-server` and `shop-worker` of `shop`), if their versions
/// agree.
fn family<'s>(images: impl Iterator<Item = Stated<'s>>, release: &str) -> Option<Stated<'s>> {
    let bears_it = |image: &Stated<'_>| {
        let rest = image.name.and_then(|name| name.strip_prefix(release));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let mut own = images.filter(bears_it);
    let first = own.next()?;
    own.all(|other| other.tag == first.tag).then_some(first)
}

/// The one image of some, which several containers may run.
fn one<'s>(mut images: impl Iterator<Item = Stated<'s>>) -> Option<Stated<'s>> {
    let first = images.next()?;
    images.all(|other| other == first).then_some(first)
}

fn name(repository: &str) -> Option<&str> {
    let name = repository.rsplit('/').next()?;
    is_plain(name).then_some(name)
}

/// A tag without the digest that may follow it.
fn tag(text: &str) -> Option<&str> {
    let tag = text.split('@').next()?;
    is_plain(tag).then(|| version(tag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Statement;
    use base::FileId;
    use yaml::parse;

    fn main(text: &str) -> Option<(String, ImageRole)> {
        let root = parse(text, FileId(0)).documents.remove(0).root;
        let mut statement = Statement::default();
        crate::sources::values::describe(&root, &mut statement);
        let values = Values {
            statement: &statement,
            prefix: "",
        };
        let image = main_image(values, "shop", &["shop"])?;
        Some((image.tag.to_owned(), image.role))
    }

    #[test]
    fn the_image_at_the_top_is_the_main_one() {
        let both = "image: {repository: ghcr.io/acme/shop, tag: v1.2.0@sha256:aa}\nproxy: {image: {repository: nginx, tag: '1'}}";
        assert_eq!(main(both), Some(("v1.2.0".into(), ImageRole::Main)));
        let text = "image: ghcr.io:5000/acme/shop:1.2";
        assert_eq!(main(text), Some(("1.2".into(), ImageRole::Main)));
    }

    #[test]
    fn of_several_containers_the_one_called_like_the_application_counts() {
        let controllers = |containers: &str| {
            format!(
                "controllers: {{shop: {{initContainers: {{db: {{image: {{repository: db, tag: '9'}}}}}}, containers: {{{containers}}}}}}}"
            )
        };
        let container = |name: &str, image: &str, tag: u8| {
            format!("{name}: {{image: {{repository: {image}, tag: '{tag}'}}}}")
        };
        let (app, side) = (container("app", "a/shop", 1), container("vpn", "b/vpn", 2));
        let shop = Some(("1".to_owned(), ImageRole::Main));
        assert_eq!(main(&controllers(&app)), shop);
        assert_eq!(main(&controllers(&format!("{side}, {app}"))), shop);
        let other = container("web", "a/web", 1);
        assert_eq!(main(&controllers(&format!("{side}, {other}"))), None);
        let (server, worker) = (
            container("server", "a/shop-server", 1),
            container("worker", "a/shop-worker", 1),
        );
        let family = controllers(&format!("{side}, {server}, {worker}"));
        assert_eq!(main(&family), shop, "their images bear its name");
        let newer = container("worker", "a/shop-worker", 3);
        assert_eq!(main(&controllers(&format!("{server}, {newer}"))), None);
        let off = "vpn: {enabled: false, image: {repository: b/vpn, tag: '1'}}";
        assert_eq!(main(&controllers(&format!("{off}, {other}"))), shop);
    }

    #[test]
    fn what_may_be_something_else_is_not_taken_for_the_version() {
        for text in [
            "image: {repository: a/shop}",
            "image: {repository: a/shop, tag: '${TAG}'}",
            "image: {repository: a/shop, digest: 'sha256:aa'}",
            "web: {image: {repository: a, tag: '1'}}\nworker: {image: {repository: b, tag: '1'}}",
            "{}",
        ] {
            assert_eq!(main(text), None, "{text}");
        }
        let only = "web: {image: {repository: a/web, tag: '1'}}";
        assert_eq!(main(only), Some(("1".into(), ImageRole::Only)));
        let named =
            "node: {image: {registry: a/shop, tag: '1'}}\nside: {image: {repository: b, tag: '2'}}";
        assert_eq!(main(named), Some(("1".into(), ImageRole::Named)));
    }
}
