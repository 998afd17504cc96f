//! Converts the parser's scalars to ours: styles and tags.

use std::borrow::Cow;

use granit_parser::{ScalarStyle, Tag};
use smol_str::SmolStr;

use super::{Scalar, Style, binary, folded};
use base::{Finding, Place};

/// A scalar as the parser gives it, with its tag applied.
pub fn scalar(
    text: Cow<'_, str>,
    style: ScalarStyle,
    tag: Option<&Tag>,
    place: Place,
) -> Result<Scalar, Finding> {
    let text = match style {
        ScalarStyle::Folded => folded::rewritten(&text).into(),
        _ => SmolStr::from(text),
    };
    let standard = tag.and_then(|tag| tag.suffix_in_namespace("tag:yaml.org,2002:"));
    let text = match standard.as_deref() {
        Some("binary") => binary::decoded(&text, place)?,
        _ => text,
    };
    Ok(Scalar {
        text,
        style: style_of(style, tag),
        shared: None,
    })
}

fn style_of(style: ScalarStyle, tag: Option<&Tag>) -> Style {
    let typed = tag.map(|tag| matches!(tag.core_suffix(), Some("int" | "bool" | "float" | "null")));
    match style {
        _ if typed == Some(true) => Style::Plain,
        ScalarStyle::Plain if typed.is_some() => Style::Quoted,
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
        _ => Style::Quoted,
    }
}
