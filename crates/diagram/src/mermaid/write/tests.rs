//! Tests of the Mermaid that is written.

use super::*;

fn escape(text: &str) -> String {
    let mut out = String::new();
    push_escaped(&mut out, text);
    out
}

#[test]
fn a_label_cannot_end_its_quotes_or_become_markup() {
    assert_eq!(escape("a \"b\" [c]"), "a #quot;b#quot; [c]");
    assert_eq!(escape("<script>"), "#lt;script#gt;");
    assert_eq!(escape("x\n  end\n"), "x end");
    assert_eq!(
        escape("#quot; `b` %%{init}"),
        "#35;quot#59; #96;b#96; #37;#37;{init}"
    );
    assert_eq!(escape("1. first"), "1#46; first");
    assert_eq!(escape("style: #1"), "style#58; #35;1");
    assert_eq!(escape(" \u{7} "), "#160;");
    assert_eq!(escape("証明書 → é"), "証明書 → é");
}

#[test]
fn a_link_stays_within_its_quotes() {
    let mut out = String::new();
    push_address(&mut out, "a\"b c;#d");
    assert_eq!(out, "a%22b%20c%3B#d");
}
