//! Applications: what a component, chart or image of a name is. What is known of common ones is `applications.toml`,
//! compiled in; `[[application]]` in `catalog.toml` has the same form and comes first.

use std::sync::LazyLock;

use schemars::JsonSchema;

use super::chart::{SWITCHES, Switch, word};
use super::mistake::Mistakes;
use super::section::{TomlSection, TomlText, built_in, texts};
use base::hash::HashSet;

/// What an application is, in one line, and where to read more.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Application {
    /// The name of the component, of its chart, or of the only image that it runs. A name with a slash, such as
    /// `acme/shop`, is the end of an image's path.
    #[schemars(example = &"shop")]
    pub name: String,
    /// Further names.
    #[schemars(default, example = ["webshop", "acme/shop"])]
    pub aliases: Vec<String>,
    /// Kinds of objects that an operator turns into this application, such as `postgresql.cnpg.io/Cluster`.
    #[schemars(default, example = ["shops.acme.example/Shop"])]
    pub kinds: Vec<String>,
    /// What it is, in one line.
    #[schemars(example = &"Online shop")]
    pub description: Option<String>,
    /// Its home page.
    #[schemars(example = &"https://shop.acme.example")]
    pub home: Option<String>,
    /// The web page of its source repository.
    #[schemars(example = &"https://github.com/acme/shop")]
    pub code: Option<String>,
    /// Its icon: a slug of [Simple Icons](https://simpleicons.org).
    #[schemars(example = &"shopware")]
    pub icon: Option<String>,
    /// `off` if its image says nothing about a component, because others build theirs on it.
    #[schemars(default)]
    pub images: Switch,
}

pub(super) const APPLICATION_KEYS: &[&str] = &[
    "name",
    "aliases",
    "kinds",
    "description",
    "home",
    "code",
    "icon",
    "images",
];

/// Whether a well-known application has this name.
pub fn is_known_application(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let each = known_applications().iter();
        each.flat_map(|one| std::iter::once(&one.name).chain(&one.aliases))
            .map(String::as_str)
            .collect()
    });
    NAMES.contains(name)
}

/// Built-in applications.
pub fn known_applications() -> &'static [Application] {
    static KNOWN: LazyLock<Vec<Application>> = LazyLock::new(|| {
        built_in(
            "applications.toml",
            include_str!("applications.toml"),
            "application",
            applications,
        )
    });
    &KNOWN
}

pub(super) fn applications(sections: &[TomlSection], mistakes: &mut Mistakes) -> Vec<Application> {
    let mut applications = Vec::new();
    for section in sections {
        section.allow_only(APPLICATION_KEYS, mistakes);
        let Some(name) = section.required("name", mistakes) else {
            continue;
        };
        if name.value.trim().is_empty() {
            mistakes
                .add(name.span.clone(), "the name of this application is empty")
                .help("add the name of the component, chart or image");
        }
        let value = |text: Option<TomlText>| text.map(|text| text.value);
        applications.push(Application {
            name: name.value,
            aliases: texts(section.list("aliases", mistakes)),
            kinds: texts(section.list("kinds", mistakes)),
            description: value(section.optional("description", mistakes)),
            home: address(section, "home", mistakes),
            code: address(section, "code", mistakes),
            icon: value(section.optional("icon", mistakes)),
            images: word(section, "images", SWITCHES, mistakes),
        });
    }
    applications
}

/// An address that is safe to put into a link.
fn address(section: &TomlSection, key: &str, mistakes: &mut Mistakes) -> Option<String> {
    let text = section.optional(key, mistakes)?;
    let is_web = text.value.starts_with("https://") || text.value.starts_with("http://");
    if !is_web || text.value.contains(super::read::is_unfit) {
        let message = format!("`{}` is not a URL", text.value);
        mistakes
            .add(text.span, message)
            .help("use the URL of a web page, such as `https://shop.acme.example`");
        return None;
    }
    Some(text.value)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn what_is_compiled_in_says_what_each_application_is() {
        let applications = known_applications();
        assert!(applications.len() > 900, "{}", applications.len());
        let mut names = BTreeSet::new();
        for one in applications {
            for name in [&one.name].into_iter().chain(&one.aliases) {
                assert!(names.insert(name.clone()), "two are called {name}");
                assert_eq!(*name, name.to_lowercase());
            }
            let description = one.description.as_deref().unwrap_or_default();
            let words = description.split_whitespace().count();
            assert!((1..=12).contains(&words), "{}: {description}", one.name);
            assert!(!description.ends_with('.'), "{description}");
        }
    }

    #[test]
    fn mistakes_in_applications_are_told_with_their_lines() {
        let text = "[[application]]\nname = \"x\"\nhome = \"javascript:1\"\nimages = \"maybe\"\nurl = \"y\"\n\n[[application]]\ndescription = \"z\"\n";
        let error = crate::input::config::parse(text, "catalog.toml").unwrap_err();
        let lines: Vec<(u32, &str)> = error
            .mistakes
            .iter()
            .map(|mistake| (mistake.line, mistake.message.as_str()))
            .collect();
        assert_eq!(
            lines,
            [
                (3, "`javascript:1` is not a URL"),
                (4, "`maybe` is not a valid value for `images`"),
                (5, "unknown key `url`"),
                (7, "the key `name` is missing"),
            ]
        );
    }
}
