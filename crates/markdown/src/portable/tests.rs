//! What is written again, seen as text.

use super::*;

fn written(markdown: &str) -> String {
    portable(markdown, "Title", &|href| Some(href.to_owned()))
}

#[test]
fn nothing_of_an_author_becomes_markup_or_a_directive() {
    let hostile = "# Title\n\n<script>alert(1)</script>\n\nA {{#include /etc/passwd}} and {% raw %} and {{ config }} \
                   `{{#include x}}` `{{ #include x }}`\n\n```yaml\n{{#include ../../secret}}\n--8<-- \"x\"\n```\n\n\
                   --8<-- \"secret.md\"\n\n!!! note\n\n::: tip\n\n:::note[x]\n\n<details open><summary>More</summary>\n\n\
                   words\n\n</details>\n\n<!-- {{#include y}} -->\n";
    let written = written(hostile);
    for live in [
        "{{", "{%", "8<", "<script", "<details", "<summary", ":::", "\n!!!", "alert(",
    ] {
        assert!(!written.contains(live), "{live} in\n{written}");
    }
    assert!(written.contains("More"), "{written}");
    assert!(
        written.contains("<pre><code class=\"language-yaml\">"),
        "{written}"
    );
}

#[test]
fn lists_are_indented_as_every_reader_wants_them() {
    let text = "# T\n\nA:\n- a\n  - b\n- c\n\n  second\n\n  ```sh\n  x\n  ```\n1. one\n";
    assert_eq!(
        written(text),
        "A:\n\n-   a\n\n    -   b\n\n-   c\n\n    second\n\n    ```sh\n    x\n    ```\n\n1.  one\n"
    );
    assert_eq!(written("- a\n  - b\n- c\n"), "-   a\n    -   b\n-   c\n");
    assert_eq!(written("> - a\n>\n> b\n"), "> -   a\n>\n> b\n");
    assert_eq!(written("- a\n\n> b\n>\n> c\n"), "-   a\n\n> b\n>\n> c\n");
}

#[test]
fn a_heading_that_generators_name_differently_says_its_anchor() {
    let text =
        "# Title\n\n## Plain words\n\n## What's up?\n\n## Plain words\n\n## Größe\n\n## Title\n";
    assert_eq!(
        written(text),
        "## Plain words\n\n## <a id=\"whats-up\"></a>What's up?\n\n## <a id=\"plain-words-1\"></a>Plain words\n\n\
         ## <a id=\"section-4\"></a>Größe\n\n## <a id=\"title\"></a>Title\n"
    );
    let anchors = anchors(text, "Title");
    assert_eq!(anchors["größe"], "section-4");
    assert_eq!(anchors["plain-words"], "plain-words");
}

#[test]
fn tables_code_and_emphasis_stay_what_they_are() {
    let text = "| a | b |\n|---|---|\n| `x\\|y` | ***z*** ~~old~~ |\n\nsnake_case_name and `` a`b `` at 1.5\n\n2. two\n";
    assert_eq!(
        written(text),
        "| a | b |\n| --- | --- |\n| <code>x&#124;y</code> | ***z*** <del>old</del> |\n\n\
         snake_case_name and `` a`b `` at 1.5\n\n2.  two\n"
    );
}

#[test]
fn a_drawing_has_no_links_of_another_site() {
    let text = "```mermaid\ngraph LR\n  a --> b\n  click a href \"a.html\"\n```\n";
    assert_eq!(written(text), "```mermaid\ngraph LR\n  a --> b\n```\n");
}

#[test]
fn pictures_of_other_sites_are_links_and_links_to_nowhere_are_words() {
    let follow = |href: &str| (href != "gone.md").then(|| href.to_owned());
    let text = "[a](gone.md) ![b](https://x.example/b.png) [![c](https://x.example/c.svg)](https://y.example) wow![d](d.png)\n";
    assert_eq!(
        portable(text, "", &follow),
        "a [b](https://x.example/b.png) [c](https://y.example) wow![d](d.png)\n"
    );
}

#[test]
fn deep_nesting_costs_no_more_than_its_length() {
    let deep = ">".repeat(20_000) + " x\n" + &"- ".repeat(5_000) + "y\n";
    let written = written(&deep);
    assert!(written.len() < 200_000, "{}", written.len());
}

#[test]
fn alerts_tabs_and_formulas_are_written_for_every_reader() {
    let text = "!!! warning \"Mind *this*\"\n    one\n\n    ```sh\n    ls\n    ```\n\n=== \"A\"\n    two $x^2$\n\n:::details\nthree\n:::\n";
    assert_eq!(
        written(text),
        "> **Mind this**\n>\n> one\n>\n> ```sh\n> ls\n> ```\n\n> **A**\n>\n> two `x^2`\n\n> **Details**\n>\n> three\n"
    );
}
