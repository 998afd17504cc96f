//! Raw HTML in Markdown. It is tidied tag by tag, so that one broken tag does not swallow the rest; then the sanitiser
//! decides what stays. The only importer of the sanitiser, whose word is final.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

use super::id::id_on_page;
use super::link;
use super::tag::{HtmlTokens, Tag, Token};
use base::markup::push_attribute;

/// Maximum amount of raw HTML in a page; the rest is shown as text, because building its tree could take very long.
pub const MAX_BYTES: usize = 256 * 1024;

const MAX_DEPTH: usize = 64;

/// Browsers repeat these in every block until they are closed, so they are closed at the end of their block.
const FORMATTING: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "mark", "nobr", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup",
    "tt", "u", "var",
];

/// These turn everything up to their end into text, or change how the rest is parsed.
const SWALLOWING: &[&str] = &[
    "iframe",
    "math",
    "noembed",
    "noframes",
    "noscript",
    "plaintext",
    "script",
    "select",
    "style",
    "svg",
    "template",
    "textarea",
    "title",
    "xmp",
];

const VOID: &[&str] = &[
    "area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr",
];

/// These need no end tag, so they do not count as nesting.
const SELF_CLOSING: &[&str] = &[
    "dd", "dt", "li", "p", "tbody", "td", "tfoot", "th", "thead", "tr",
];

/// The result of resolving a link or image in a tag.
pub enum ResolvedAddress {
    Href(String),
    Outside(String),
    Nothing,
}

/// The elements that raw HTML has opened but not closed.
#[derive(Default)]
pub struct OpenElements {
    blocks: usize,
    formatting: Vec<String>,
}

impl OpenElements {
    pub fn has_link(&self) -> bool {
        self.formatting.iter().any(|name| name == "a")
    }

    /// Closes elements that must not reach beyond the current block.
    pub fn close(&mut self, markup: &mut String) {
        for name in self.formatting.drain(..).rev() {
            markup.push_str("</");
            markup.push_str(&name);
            markup.push('>');
        }
    }
}

/// Appends raw HTML with its tags in order: links are rewritten by `address` (which gets the target and the offset of
/// its tag), ids prefixed, comments dropped, and incomplete tags shown as text.
pub fn tidy(
    html: &str,
    markup: &mut String,
    open: &mut OpenElements,
    prefix: &str,
    address: &mut dyn FnMut(&str, usize) -> ResolvedAddress,
) {
    let mut tokens = HtmlTokens::new(html);
    while let Some((at, token)) = tokens.next() {
        match token {
            Token::Text(text) => markup.push_str(text),
            Token::Stray => markup.push_str("&lt;"),
            Token::Comment => {}
            Token::Tag(tag) if SWALLOWING.contains(&tag.name.as_str()) => {
                if !tag.is_end {
                    tokens.skip_element(&tag.name);
                }
            }
            Token::Tag(tag) => write(&tag, markup, open, prefix, &mut |url| address(url, at)),
        }
    }
}

fn write(
    tag: &Tag,
    markup: &mut String,
    open: &mut OpenElements,
    prefix: &str,
    address: &mut dyn FnMut(&str) -> ResolvedAddress,
) {
    // The page has one level 1 heading, and it is not in here.
    let name = if tag.name == "h1" {
        "h2"
    } else {
        tag.name.as_str()
    };
    let is_formatting = FORMATTING.contains(&name);
    if tag.is_end {
        if is_formatting {
            match open.formatting.iter().rposition(|open| open == name) {
                Some(position) => open.formatting.remove(position),
                None => return,
            };
        } else if !SELF_CLOSING.contains(&name) {
            open.blocks = open.blocks.saturating_sub(1);
        }
        markup.push_str("</");
        markup.push_str(name);
        markup.push('>');
        return;
    }
    if name == "img" {
        return image(tag, markup, open, address);
    }
    if is_formatting {
        if open.formatting.len() >= 8 {
            return;
        }
        open.formatting.push(name.to_owned());
    } else if !VOID.contains(&name) && !SELF_CLOSING.contains(&name) {
        open.blocks += 1;
        if open.blocks > MAX_DEPTH {
            return;
        }
    }
    markup.push('<');
    markup.push_str(name);
    for (attribute, value) in &tag.attributes {
        let value = match attribute.as_str() {
            "id" | "name" => id_on_page(prefix, without_host_prefix(value)),
            "href" => match address(value) {
                ResolvedAddress::Href(href) | ResolvedAddress::Outside(href) => href,
                ResolvedAddress::Nothing => continue,
            },
            "src" | "srcset" => continue,
            _ => value.clone(),
        };
        push_pair(markup, attribute, &value);
    }
    markup.push('>');
}

fn image(
    tag: &Tag,
    markup: &mut String,
    open: &OpenElements,
    address: &mut dyn FnMut(&str) -> ResolvedAddress,
) {
    let value = |name: &str| {
        let mut attributes = tag.attributes.iter();
        attributes
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    };
    let alt = value("alt").unwrap_or_default();
    match address(value("src").unwrap_or_default()) {
        ResolvedAddress::Href(src) => {
            markup.push_str("<img");
            push_pair(markup, "src", &src);
            push_pair(markup, "alt", alt);
            push_pair(markup, "loading", "lazy");
            for name in ["width", "height", "title", "align"] {
                if let Some(value) = value(name) {
                    push_pair(markup, name, value);
                }
            }
            markup.push('>');
        }
        ResolvedAddress::Outside(href) if !open.has_link() => {
            markup.push_str("<a");
            push_pair(markup, "href", &href);
            markup.push('>');
            push_attribute(markup, if alt.is_empty() { &href } else { alt });
            markup.push_str("</a>");
        }
        ResolvedAddress::Outside(_) | ResolvedAddress::Nothing => push_attribute(markup, alt),
    }
}

fn push_pair(markup: &mut String, name: &str, value: &str) {
    markup.push(' ');
    markup.push_str(name);
    markup.push_str("=\"");
    push_attribute(markup, value);
    markup.push('"');
}

/// Whether this can only be a comment or a line break, which need no sanitiser.
pub fn is_harmless(html: &str) -> bool {
    let html = html.trim();
    let is_comment =
        html.starts_with("<!--") && html.find("-->") == Some(html.len().wrapping_sub(3));
    is_comment || is_break(html)
}

pub fn is_break(html: &str) -> bool {
    matches!(html.trim(), "<br>" | "<br/>" | "<br />")
}

/// Adds the ids in the tags of `html`.
pub fn ids(html: &str, ids: &mut BTreeSet<String>) {
    for (_, token) in HtmlTokens::new(html) {
        let Token::Tag(tag) = token else { continue };
        let given = tag.attributes.into_iter();
        let given = given.filter(|(name, _)| matches!(name.as_str(), "id" | "name"));
        ids.extend(given.map(|(_, id)| without_host_prefix(&id).to_owned()));
    }
}

/// An id as links name it. Repository hosts put a prefix before ids, and some authors copy it.
fn without_host_prefix(id: &str) -> &str {
    id.strip_prefix("user-content-").unwrap_or(id)
}

/// Removes everything that a page must not have, and balances the rest.
pub fn sanitise(markup: &str) -> String {
    SANITISER.clean(markup).to_string()
}

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let set = |words: &[&'static str]| words.iter().copied().collect::<HashSet<_>>();
    let mut tags = set(FORMATTING);
    tags.extend(set(&[
        "blockquote",
        "br",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "img",
        "li",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "wbr",
        "caption",
        "figure",
        "figcaption",
    ]));
    let attributes: HashMap<&'static str, HashSet<&'static str>> = HashMap::from([
        ("a", set(&["href", "name"])),
        ("details", set(&["open"])),
        (
            "img",
            set(&["src", "alt", "width", "height", "align", "loading"]),
        ),
        ("li", set(&["value"])),
        ("ol", set(&["start"])),
        ("p", set(&["align"])),
        ("td", set(&["align", "colspan", "rowspan"])),
        ("th", set(&["align", "colspan", "rowspan", "scope"])),
    ]);
    let values = HashMap::from([(
        "div",
        HashMap::from([
            ("align", set(&["left", "center", "right"])),
            ("role", set(&["region"])),
            ("tabindex", set(&["0"])),
        ]),
    )]);
    let mut builder = Builder::empty();
    builder
        .tags(tags)
        .clean_content_tags(set(&["script", "style"]))
        .tag_attributes(attributes)
        .tag_attribute_values(values)
        .generic_attributes(set(&["id", "class", "title", "lang", "dir", "aria-label"]))
        .url_schemes(set(&["http", "https", "mailto"]))
        .url_relative(UrlRelative::PassThrough)
        .link_rel(Some("noopener noreferrer"))
        .strip_comments(true)
        .attribute_filter(attribute);
    builder
});

/// Classes that Markdown itself uses; an author's own have no meaning here.
const CLASSES: &[&str] = &[
    "alert",
    "alert-caution",
    "alert-important",
    "alert-note",
    "alert-tip",
    "alert-title",
    "alert-warning",
    "anchor",
    "broken",
    "center",
    "footnotes",
    "back",
    "right",
    "tab",
    "table",
    "tabs",
    "task",
    "tasks",
];

fn attribute<'v>(element: &str, name: &str, value: &'v str) -> Option<Cow<'v, str>> {
    match (element, name) {
        ("img", "src") => (!link::is_off_site(value)).then_some(Cow::Borrowed(value)),
        (_, "id" | "name") => {
            let is_word = |c: char| c.is_alphanumeric() || "-_.:".contains(c);
            let is_id = !value.is_empty() && value.len() <= 256 && value.chars().all(is_word);
            is_id.then_some(Cow::Borrowed(value))
        }
        (_, "class") => {
            let known = |class: &&str| CLASSES.contains(class) || class.starts_with("slot-");
            let classes: Vec<&str> = value.split_ascii_whitespace().filter(known).collect();
            (!classes.is_empty()).then(|| Cow::Owned(classes.join(" ")))
        }
        _ => Some(Cow::Borrowed(value)),
    }
}
