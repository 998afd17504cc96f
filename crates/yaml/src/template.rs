//! Templates: text that is not YAML until something fills it in.

use base::{Effect, Finding, Place};

/// Finding for a key that is a collection. `{{ .name }}` without quotes is one too, and means a template.
pub fn complex_key(text: &str, place: Place) -> Finding {
    if is_template(text) {
        return template(place);
    }
    Finding::error(
        "yaml-complex-key",
        place,
        "a mapping key is itself a mapping or a list, but Kubernetes accepts only string keys",
    )
    .help("write the key as a string")
    .effect(Effect::Unreadable)
}

/// Finding for a template that is not YAML until something fills it in.
pub fn template(place: Place) -> Finding {
    Finding::info(
        "yaml-template",
        place,
        "this document uses template syntax, so it is not read",
    )
    .effect(Effect::Template)
}

/// Whether text that is not YAML is a template: it has the actions of Go or Jinja, or directives such as
/// `%{ for }`.
pub fn is_template(text: &str) -> bool {
    let mut directives = text.match_indices("%{").map(|(at, sign)| {
        let inside = text[at + sign.len()..].trim_start_matches(['~', ' ']);
        ["if ", "for ", "else", "endif", "endfor"]
            .iter()
            .any(|word| inside.starts_with(word))
    });
    text.contains("{{") || text.contains("{%") || directives.any(|is_one| is_one)
}
