//! The version of manifests that come from another repository or from an artifact, by the address that pins them.

use smol_str::SmolStr;

use super::component::Placement;
use super::running::is_related;
use crate::cluster::Clusters;

/// Where manifests come from.
#[derive(Debug, Clone, Copy)]
pub struct Address<'a> {
    url: &'a str,
    /// The revision, if it is stated apart from the path.
    revision: Option<&'a str>,
}

impl<'a> Address<'a> {
    /// A remote base, which states its revision in a query or in its path.
    pub fn from_base(text: &'a str) -> Address<'a> {
        let (url, query) = text.split_once('?').unwrap_or((text, ""));
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let revision = pairs.find(|(key, _)| ["ref", "version"].contains(key));
        Address {
            url,
            revision: revision.map(|(_, revision)| revision),
        }
    }

    /// A repository or an artifact, whose revision stands beside its address. A branch is no version.
    pub fn pinned(url: &'a str, revision: Option<&'a str>) -> Address<'a> {
        Address {
            url,
            revision: Some(revision.unwrap_or_default()),
        }
    }

    /// The parts of its path, without the host.
    fn parts(&self) -> impl Iterator<Item = &'a str> {
        let path = self
            .url
            .split_once("://")
            .map_or(self.url, |(_, path)| path);
        path.split(['/', ':'])
            .skip(1)
            .filter(|part| !part.is_empty())
    }

    fn version(&self) -> Option<&'a str> {
        match self.revision {
            Some(revision) => Some(revision).filter(|text| is_version(text)),
            None => {
                let mut versions = self.parts().filter(|part| is_version(part));
                let first = versions.next()?;
                versions.all(|other| other == first).then_some(first)
            }
        }
    }

    fn is_about(&self, names: &[&str]) -> bool {
        let is_name = |part: &str| {
            let part = part.trim_end_matches(".git");
            let is_it = |name: &&str| is_related(name, part) || are_initials(name, part);
            names.iter().any(is_it)
        };
        self.parts().any(is_name)
    }
}

/// The version of what bears one of these names; none if its addresses disagree or one of them pins nothing.
pub fn version(names: &[&str], addresses: &[Address<'_>]) -> Option<SmolStr> {
    let mut versions = addresses
        .iter()
        .filter(|address| address.is_about(names))
        .map(Address::version);
    let first = versions.next()??;
    versions
        .all(|other| other == Some(first))
        .then(|| first.into())
}

/// The images that a unit sets for what it takes from elsewhere.
pub fn images<'a>(part: &Placement, clusters: &'a Clusters) -> &'a [SmolStr] {
    let unit = &clusters[part.cluster].units[part.subject];
    let applied = unit.applied.as_ref().filter(|_| part.release.is_none());
    applied.map_or(&[], |applied| &applied.images_elsewhere)
}

/// The tag of the images that bear one of these names; none if they disagree.
pub fn tag(names: &[&str], images: &[SmolStr]) -> Option<SmolStr> {
    let mut tags = images.iter().filter_map(|image| {
        let (name, tag) = image.rsplit_once(':')?;
        let name = name.rsplit('/').next()?;
        names.iter().any(|one| is_spelled(one, name)).then_some(tag)
    });
    let first = tags.next()?;
    tags.all(|other| other == first).then(|| first.into())
}

/// Whether two names are one, with hyphens or without: `argo-cd` and `argocd`.
fn is_spelled(one: &str, other: &str) -> bool {
    let letters = |name: &'_ str| name.replace('-', "");
    letters(one) == letters(other)
}

/// Whether a name is made of the first letters of at least three words: `aso` of `azure-service-operator`.
fn are_initials(name: &str, of: &str) -> bool {
    let words = of.split('-');
    words.clone().count() > 2
        && words
            .map(|word| word.chars().next())
            .eq(name.chars().map(Some))
}

/// Whether a text is a version, such as `v1.7.2` and `1.14.0-rc.1`.
fn is_version(text: &str) -> bool {
    let number = text.strip_prefix('v').unwrap_or(text);
    let mut parts = number.splitn(3, '.');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let major = parts.next().is_some_and(is_number);
    let minor = parts.next().is_some_and(|minor| match parts.next() {
        Some(patch) => is_number(minor) && patch.starts_with(|c: char| c.is_ascii_digit()),
        None => is_number(minor),
    });
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-+_".contains(c);
    major && minor && number.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, bases: &[&str]) -> Option<String> {
        let addresses: Vec<Address<'_>> =
            bases.iter().map(|base| Address::from_base(base)).collect();
        version(&[name], &addresses).map(String::from)
    }

    #[test]
    fn an_address_that_names_the_component_states_its_version() {
        for (base, expected) in [
            (
                "https://example.org/acme/shop/releases/download/v1.7.2/install.yaml",
                Some("v1.7.2"),
            ),
            (
                "https://example.org/acme/shop/manifests?ref=v1.0.3&timeout=90s",
                Some("v1.0.3"),
            ),
            ("example.org/acme/shop//deploy?ref=1.4", Some("1.4")),
            ("https://example.org/acme/shop/deploy/2.0?ref=main", None),
            ("https://example.org/acme/shop/master/install.yaml", None),
            (
                "https://example.org/acme/cart/releases/download/v1.7.2/install.yaml",
                None,
            ),
            ("https://10.0.0.1/acme/shop/install.yaml", None),
        ] {
            assert_eq!(of("shop", &[base]).as_deref(), expected, "{base}");
        }
        let operator =
            "https://example.org/acme/blue-shop-operator/releases/download/v1.7.2/all.yaml";
        assert_eq!(of("bso", &[operator]).as_deref(), Some("v1.7.2"));
        assert_eq!(of("bs", &[operator]), None);
        let crds = "https://example.org/acme/shop/v1.7.2/crds.yaml";
        let install = "https://example.org/acme/shop/v1.7.2/install.yaml";
        let older = "https://example.org/acme/shop/v1.6.0/install.yaml";
        assert_eq!(
            of("shop-operator", &[crds, install]).as_deref(),
            Some("v1.7.2")
        );
        assert_eq!(of("shop", &[crds, older]), None);
    }

    #[test]
    fn a_branch_and_a_range_are_no_versions() {
        let shop = "oci://example.org/acme/shop";
        let of = |revision| version(&["shop"], &[Address::pinned(shop, revision)]);
        assert_eq!(of(Some("v2.1.0")).as_deref(), Some("v2.1.0"));
        for revision in [
            None,
            Some("main"),
            Some("1.x"),
            Some(">=1.0.0"),
            Some("release-1.20"),
        ] {
            assert_eq!(of(revision), None, "{revision:?}");
        }
    }
}
