//! The main image of a release, if its values set one. Generic charts are identified by this image rather than by the
//! chart.

use std::collections::BTreeMap;

use super::ChartValues;
use super::MAX_SETTINGS;
use super::image::ends_in_image;
use crate::facts::image::{is_plain, version};

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
pub fn main_image<'s>(values: ChartValues<'s>, release: &str, names: &[&str]) -> Option<Image<'s>> {
    // The settings were truncated, so another image may be missing from them.
    if values.statement.settings.len() >= MAX_SETTINGS {
        return None;
    }
    let stated = stated(values);
    let is_named = |image: &&StatedImage<'_>| {
        let is_it = |own: &str| names.iter().any(|name| name.eq_ignore_ascii_case(own));
        image.name.is_some_and(is_it)
    };
    let main = MAIN.iter().find_map(|path| stated.get(*path));
    let (image, role) = match main {
        Some(image) => (*image, ImageRole::Main),
        None => match of_controllers(&stated, release, names) {
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
const MAIN: [&str; 4] = [
    "image",
    "containerImage",
    "deployment.image",
    "controller.image",
];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct StatedImage<'s> {
    name: Option<&'s str>,
    tag: Option<&'s str>,
}

/// Images by their path, without those that only prepare something or are switched off.
fn stated<'s>(values: ChartValues<'s>) -> BTreeMap<&'s str, StatedImage<'s>> {
    let mut images: BTreeMap<&str, StatedImage<'_>> = BTreeMap::new();
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
    One(StatedImage<'s>),
    Unclear,
}

/// `controllers.NAME.containers.NAME.image`: the container that is called like the application, in the controller that
/// is, else the image that is called so.
fn of_controllers<'s>(
    images: &BTreeMap<&'s str, StatedImage<'s>>,
    release: &str,
    names: &[&str],
) -> Controllers<'s> {
    let containers = images.iter().filter_map(|(path, image)| {
        let path = path.strip_prefix("controllers.")?.strip_suffix(".image")?;
        let (controller, container) = path.split_once(".containers.")?;
        Some((controller, container, *image))
    });
    let containers: Vec<(&str, &str, StatedImage<'_>)> = containers.collect();
    if containers.is_empty() {
        return Controllers::None;
    }
    let is_called_so = |name: &str| name == release || matches!(name, "main" | "app");
    let of_main = |container: &&(&str, &str, StatedImage<'_>)| is_called_so(container.0);
    let some: Vec<_> = if containers.iter().any(|container| of_main(&container)) {
        containers.iter().filter(of_main).collect()
    } else {
        containers.iter().collect()
    };
    let is_main = |(controller, container, _): &&&(&str, &str, StatedImage<'_>)| {
        is_called_so(container) || container == controller
    };
    let all = one(some.iter().map(|(_, _, image)| *image));
    let main = || one(some.iter().filter(is_main).map(|(_, _, image)| *image));
    let called = || family(&containers, names);
    match all.or_else(main).or_else(called) {
        Some(image) => Controllers::One(image),
        None => Controllers::Unclear,
    }
}

/// The image of the application among those of several containers: the one with its name, else its parts, such as
/// `shop-server` and `shop-worker`, if all have one version.
fn family<'s>(
    containers: &[(&str, &str, StatedImage<'s>)],
    names: &[&str],
) -> Option<StatedImage<'s>> {
    let images = || {
        let images = containers.iter().map(|(_, _, image)| *image);
        images.filter_map(|image| Some((image.name?, image)))
    };
    let is_it = |own: &str| names.iter().any(|name| name.eq_ignore_ascii_case(own));
    let exact: Vec<StatedImage<'s>> = images()
        .filter(|(name, _)| is_it(name))
        .map(|(_, image)| image)
        .collect();
    if !exact.is_empty() {
        return one(exact.into_iter());
    }
    let is_part = |own: &str| own.match_indices('-').any(|(at, _)| is_it(&own[..at]));
    let parts: Vec<StatedImage<'s>> = images()
        .filter(|(name, _)| is_part(name))
        .map(|(_, image)| image)
        .collect();
    let plain = parts.iter().min_by_key(|image| image.tag.map(str::len))?;
    let version = plain.tag?;
    // `1.2.0-cuda` is a variant of `1.2.0`.
    let is_same = |image: &StatedImage<'s>| {
        let rest = image.tag.and_then(|tag| tag.strip_prefix(version));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    parts.iter().all(is_same).then_some(*plain)
}

/// The one image of some, which several containers may run.
fn one<'s>(mut images: impl Iterator<Item = StatedImage<'s>>) -> Option<StatedImage<'s>> {
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
        crate::facts::values::describe(&root, &mut statement);
        let values = ChartValues {
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
        let other = container("web", "a/shop", 1);
        assert_eq!(main(&controllers(&format!("{side}, {other}"))), shop);
        let off = "vpn: {enabled: false, image: {repository: b/vpn, tag: '1'}}";
        assert_eq!(main(&controllers(&format!("{off}, {other}"))), shop);
    }

    #[test]
    fn parts_of_an_application_that_have_one_version_state_it() {
        let parts = |learning: &str| {
            format!(
                "controllers: {{server: {{containers: {{app: {{image: {{repository: a/shop-server, tag: v1.2.0}}}}}}}}, \
                 learning: {{containers: {{app: {{image: {{repository: a/shop-learning, tag: {learning}}}}}}}}}, \
                 store: {{containers: {{app: {{image: {{repository: b/store, tag: '9'}}}}}}}}}}"
            )
        };
        let shop = Some(("v1.2.0".to_owned(), ImageRole::Main));
        assert_eq!(main(&parts("v1.2.0")), shop);
        assert_eq!(main(&parts("v1.2.0-cuda")), shop);
        assert_eq!(main(&parts("v1.3.0")), None);
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
