//! Tests of `view.rs`.

use super::*;
use crate::site::theme::{Theme, View};

#[test]
fn code_in_messages_is_marked_and_nothing_else_is_markup() {
    let html = inline_code("`a<b>` needs <i> & `c`");
    assert_eq!(
        html.as_str(),
        "<code>a&lt;b&gt;</code> needs &lt;i&gt; &amp; <code>c</code>"
    );
    assert_eq!(inline_code("one ` only").as_str(), "one ` only");
}

/// Every shape of each component, written and as a template of the theme shows it.
fn written_and_shown(own: Vec<(String, Vec<u8>)>) -> Vec<(Html, Html)> {
    let template = "{{ <ui.component component={mention} /> }}|{{ <ui.place place={place} /> }}|\
                        {{ <ui.status status={status} /> }}";
    let page = ("pages/not_found.html".to_owned(), template.into());
    let theme = Theme::new(own.into_iter().chain([page])).unwrap();
    let components = ComponentWriter::new(&theme);
    let texts = [None, Some("a.html?<b>&\"c\"".to_owned())];
    let both = |status| texts.iter().map(move |href| (status, href));
    let shapes = ["suspended", "enabled"].into_iter().flat_map(both);
    let shapes = shapes.flat_map(|(status, href)| texts.iter().map(move |o| (status, href, o)));
    let written = shapes.map(|(status, href, only)| {
        let mention = Mention {
            title: "A <b> & \"c\"".to_owned(),
            href: href.clone(),
            only: only.clone(),
            status,
        };
        let place = PlaceView {
            label: "a/b.yaml:1".to_owned(),
            href: href.clone(),
        };
        let status = StatusName(status);
        let views = [
            ("mention", &View::serialize(&mention)),
            ("place", &View::serialize(&place)),
            ("status", &View::serialize(&status)),
        ];
        let shown = theme.render("pages/not_found.html", &views).unwrap();
        let mut written = Html::default();
        components.write(&mention, &mut written);
        written.markup("|");
        components.write(&place, &mut written);
        written.markup("|");
        components.write(&status, &mut written);
        (written, shown)
    });
    let written = written.collect();
    components.finish().unwrap();
    written
}

#[test]
fn components_are_written_as_the_theme_shows_them() {
    for (written, shown) in written_and_shown(Vec::new()) {
        assert_eq!(written, shown);
    }
}

#[test]
fn components_of_ones_own_theme_are_written_as_it_shows_them() {
    let own = include_str!("../../../theme/components.html")
        .replace(
            "class=\"place\"",
            "class=\"place{% if place.href %} linked{% endif %}\"",
        )
        .replace(
            "class=\"status",
            "data-own=\"{{ status | length }}\" class=\"status",
        )
        .replace("class=\"comp", "class=\"own comp");
    let own = ("components.html".to_owned(), own.into_bytes());
    for (written, shown) in written_and_shown(vec![own]) {
        assert_eq!(written, shown);
        for own in ["class=\"own comp", "data-own="] {
            assert!(written.as_str().contains(own), "{written:?}");
        }
    }
}

#[test]
fn a_component_that_cannot_be_rendered_is_an_error_of_the_page() {
    let own = include_str!("../../../theme/components.html");
    let own = own.replace("{{ place.label }}", "{{ place.nothing.here }}");
    let theme = Theme::new([("components.html".to_owned(), own.into_bytes())]).unwrap();
    let components = ComponentWriter::new(&theme);
    let place = PlaceView {
        label: "a.yaml:1".to_owned(),
        href: None,
    };
    components.write(&place, &mut Html::default());
    let error = components.finish().unwrap_err().to_string();
    assert!(error.contains("theme/components.html"), "{error}");
}

#[test]
fn numbers_are_grouped() {
    assert_eq!(count(7), "7");
    assert_eq!(count(1234567), "1,234,567");
    assert_eq!(counted(1, "error"), "1 error");
    assert_eq!(counted(1000, "error"), "1,000 errors");
}
