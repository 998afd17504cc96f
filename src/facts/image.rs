//! References of images, such as `ghcr.io/acme/shop:1.2@sha256:…`, and what they say.

use base::text::{has_gap, last_part};

/// The parts of a reference that people go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageName<'i> {
    /// Without its registry and the directories below that.
    pub name: &'i str,
    /// None if the reference has none, or one that a variable decides.
    pub tag: Option<&'i str>,
}

/// The name and the tag of an image; none for text that is no reference.
pub fn image_name(reference: &str) -> Option<ImageName<'_>> {
    let before_digest = reference.split('@').next()?;
    let last = before_digest.rsplit('/').next()?;
    let (name, tag) = match last.split_once(':') {
        Some((name, tag)) => (name, Some(tag)),
        None => (last, None),
    };
    is_plain(name).then(|| ImageName {
        name,
        tag: tag.filter(|tag| is_plain(tag)),
    })
}

/// The version that a tag states: without the system that the image is built on, as in `17.6-alpine` and
/// `1.37.1-bookworm`. Tags of another form are shown as they are.
pub fn version(tag: &str) -> &str {
    let Some((version, rest)) = tag.split_once('-') else {
        return tag;
    };
    let digits = version.strip_prefix('v').unwrap_or(version);
    let is_version = digits.contains('.') && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_system = |word: &str| {
        let name = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        SYSTEMS.contains(&name)
    };
    if is_version && rest.split('-').all(is_system) {
        version
    } else {
        tag
    }
}

/// What tags call the systems that images are built on.
const SYSTEMS: [&str; 22] = [
    "alpine",
    "bookworm",
    "bullseye",
    "buster",
    "chainguard",
    "debian",
    "distroless",
    "focal",
    "jammy",
    "minimal",
    "musl",
    "noble",
    "oracle",
    "photon",
    "rootless",
    "scratch",
    "slim",
    "standard",
    "system",
    "trixie",
    "ubi",
    "ubuntu",
];

/// Whether a text can only be a reference with a tag or a digest. Variables may be part of it.
pub fn is_reference(text: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-/:@${}+=".contains(c);
    let last = text.rsplit('/').next().unwrap_or_default();
    let rest = last.split_once([':', '@']);
    let is_tagged = rest.is_some_and(|(name, tag)| !name.is_empty() && !tag.is_empty());
    is_tagged && text.chars().all(is_allowed) && !text.contains("://") && !text.starts_with('/')
}

/// Whether a text has only plain characters. Others suggest an unresolved variable.
pub fn is_plain(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !text.is_empty() && text.chars().all(plain)
}

/// Tags that publishers move to every new build.
const MOVING: &[&str] = &["latest", "main", "master", "edge", "nightly"];

/// Whether the same image name can mean a different image later.
pub fn is_moving(image: &str) -> bool {
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
    fn a_reference_has_a_name_and_a_tag() {
        let parts = |text| image_name(text).map(|image| (image.name, image.tag));
        assert_eq!(
            parts("ghcr.io:5000/acme/shop:1.2@sha256:aa"),
            Some(("shop", Some("1.2")))
        );
        assert_eq!(parts("shop@sha256:aa"), Some(("shop", None)));
        assert_eq!(parts("acme/shop:${TAG}"), Some(("shop", None)));
        assert_eq!(parts("acme/${NAME}:1"), None);
    }

    #[test]
    fn a_version_stands_without_the_system_below() {
        for (tag, expected) in [
            ("17.6-system-trixie", "17.6"),
            ("v1.37.1-alpine3.20", "v1.37.1"),
            ("1.2.0-rc.1", "1.2.0-rc.1"),
            ("2026.8.1-java21", "2026.8.1-java21"),
            ("13-slim", "13-slim"),
            ("latest", "latest"),
        ] {
            assert_eq!(version(tag), expected);
        }
    }

    #[test]
    fn text_without_a_tag_is_not_taken_for_a_reference() {
        for text in ["acme/shop:1", "shop:${TAG}", "a.io:5000/b@sha256:aa"] {
            assert!(is_reference(text), "{text}");
        }
        for text in [
            "shop",
            "a.io:5000/b",
            "https://a.io/b:1",
            "/a:1",
            "a b:1",
            "b:",
        ] {
            assert!(!is_reference(text), "{text}");
        }
    }

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
