//! How the site looks: colour, logo, footer and extra links.

use base::colour::Colour;
use schemars::JsonSchema;

use super::mistake::Mistakes;
use super::read::{is_unfit, leaves_repo};
use super::section::{TomlSection, TomlText};

/// A link in the navigation of every page.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ExtraLink {
    /// The text of the link.
    #[schemars(example = &"Handbook")]
    pub name: String,
    /// The address.
    #[schemars(example = &"https://handbook.acme.example")]
    pub url: String,
}

pub(super) const NAV_KEYS: &[&str] = &["name", "url"];

/// Endings of pictures that every browser shows.
const PICTURES: &[&str] = &["svg", "png", "webp", "jpg", "jpeg"];
/// The top of a page has room for a few.
const MOST_LINKS: usize = 8;

pub(super) fn accent(text: &TomlText, mistakes: &mut Mistakes) -> Option<Colour> {
    let colour = Colour::parse(&text.value);
    if colour.is_none() {
        mistakes
            .add(
                text.span.clone(),
                format!("`{}` is not a colour", text.value),
            )
            .help("write it as `#0b6e4f`");
    }
    colour
}

pub(super) fn logo(text: TomlText, mistakes: &mut Mistakes) -> Option<String> {
    let ending = text
        .value
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    let is_picture = ending.is_some_and(|ending| PICTURES.contains(&ending.as_str()));
    if leaves_repo(&text.value) || !is_picture {
        mistakes
            .add(
                text.span,
                format!("`{}` is not a picture in the repository", text.value),
            )
            .help("use the path of an SVG, PNG, WebP or JPEG file, such as `docs/logo.svg`");
        return None;
    }
    Some(text.value.trim_start_matches("./").to_owned())
}

pub(super) fn nav(sections: &[TomlSection], mistakes: &mut Mistakes) -> Vec<ExtraLink> {
    if let Some(section) = sections.get(MOST_LINKS) {
        mistakes
            .add(
                section.header(),
                format!("there are more than {MOST_LINKS} links in the navigation"),
            )
            .help("put further links on a page, and link to that");
    }
    let links = sections.iter().take(MOST_LINKS).filter_map(|section| {
        section.allow_only(NAV_KEYS, mistakes);
        let name = section.required("name", mistakes);
        let url = section.required("url", mistakes)?;
        let is_web = ["https://", "http://"]
            .iter()
            .any(|scheme| url.value.len() > scheme.len() && url.value.starts_with(scheme));
        if !is_web || url.value.contains(is_unfit) {
            mistakes
                .add(url.span, format!("`{}` is not a URL", url.value))
                .help("use the URL of a web page, such as `https://handbook.acme.example`");
            return None;
        }
        Some(ExtraLink {
            name: name?.value,
            url: url.value,
        })
    });
    links.collect()
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn what_a_page_cannot_show_is_a_mistake() {
        let text = "accent = \"green\"\nlogo = \"../logo.svg\"\n\n[[nav]]\nname = \"x\"\nurl = \"javascript:1\"\n";
        let error = parse(text, "catalog.toml").unwrap_err();
        let messages: Vec<&str> = error
            .mistakes
            .iter()
            .map(|it| it.message.as_str())
            .collect();
        assert_eq!(
            messages,
            [
                "`green` is not a colour",
                "`../logo.svg` is not a picture in the repository",
                "`javascript:1` is not a URL",
            ]
        );
    }
}
