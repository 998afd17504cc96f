//! Blocks of MkDocs, Zensical, Docusaurus, Starlight and others, and formulas.

use super::*;

#[test]
fn admonitions_of_mkdocs_are_alerts() {
    assert_eq!(
        lead("!!! warning \"Mind the `gap`\"\n\n    One [two](a.md).\n\n    - three\n\nafter\n"),
        "<blockquote class=\"alert alert-warning\"><p class=\"alert-title\">Mind the <code>gap</code></p>\n\
         <p>One <a href=\"a.html\">two</a>.</p>\n<ul>\n<li>three</li>\n</ul>\n</blockquote>\n<p>after</p>\n"
    );
    let info = lead("text\n!!! info\n    x\n");
    assert!(
        info.contains("alert-note\"><p class=\"alert-title\">Info</p>"),
        "{info}"
    );
    let own = lead("!!! sizing inline end\n\tx\n");
    assert!(own.contains(">Sizing</p>\n<p>x</p>"), "{own}");
    let bare = lead("!!! danger \"\"\n    x\n");
    assert_eq!(
        bare,
        "<blockquote class=\"alert alert-caution\"><p>x</p>\n</blockquote>\n"
    );
}

#[test]
fn blocks_to_unfold_need_no_script() {
    let html = lead("??? tip \"More\"\n    x\n\n???+ bug\n    y\n\n:::details Log\nz\n:::\n");
    assert_eq!(
        html,
        "<details class=\"alert alert-tip\"><summary class=\"alert-title\">More</summary>\n<p>x</p>\n</details>\n\
         <details class=\"alert alert-caution\" open><summary class=\"alert-title\">Bug</summary>\n<p>y</p>\n</details>\n\
         <details class=\"alert alert-note\"><summary class=\"alert-title\">Log</summary>\n<p>z</p>\n</details>\n"
    );
}

#[test]
fn tabs_are_radio_buttons_before_their_panels() {
    let text = "=== \"Flux\"\n\n    ```sh\n    flux get all\n    ```\n\n=== \"Argo & CD\"\n    b\n\n===! \"Other\"\n    c\n";
    let (page, _) = page_with_prefix(text, "p-");
    let html = page.lead.as_str();
    assert_eq!(html.matches("<div class=\"tabs\">").count(), 2, "{html}");
    assert!(
        html.starts_with("<div class=\"tabs\">\n<input type=\"radio\" name=\"p-tabs-0\" id=\"p-tab-0-1\" checked>")
            && html.contains("id=\"p-tab-0-2\"><label for=\"p-tab-0-2\">Argo &amp; CD</label>"),
        "{html}"
    );
    assert!(page.text.contains("Argo & CD b"), "{}", page.text);
    // Beside raw HTML, too.
    let raw = lead(&format!("<b>x</b>\n\n{text}"));
    assert_eq!(raw.matches("<input type=\"radio\"").count(), 3, "{raw}");
    assert_eq!(raw.matches("<div class=\"tab\">").count(), 3, "{raw}");
}

#[test]
fn directives_of_docusaurus_starlight_and_pandoc_are_alerts() {
    for text in [
        ":::note[Read *this*]\nx\n:::\n",
        "::: note Read *this*\n\nx\n\n:::\n",
        "::: {.callout-note title=\"Read *this*\"}\nx\n:::\n",
        "/// note | Read *this*\nx\n///\n",
        "/// admonition | Read *this*\n    type: note\n\nx\n///\n",
    ] {
        assert_eq!(
            lead(text),
            "<blockquote class=\"alert alert-note\"><p class=\"alert-title\">Read <em>this</em></p>\n\
             <p>x</p>\n</blockquote>\n",
            "{text}"
        );
    }
    assert_eq!(lead("::: code-group\nx\n:::\n"), "<p>x</p>\n");
    let nested = lead("::::caution\n:::tip\na\n:::\nb\n::::\nc\n");
    assert!(
        nested.ends_with("<p>a</p>\n</blockquote>\n<p>b</p>\n</blockquote>\n<p>c</p>\n"),
        "{nested}"
    );
}

#[test]
fn a_heading_in_an_alert_begins_no_section_and_links_know_their_line() {
    let (page, findings) = page(
        "# T\n\n!!! note\n    ## In\n\n    [x](missing.md)\n\n## Out\n\n!!! tip \"Read [y](a.md)\"\n    z\n",
    );
    let titles: Vec<&str> = page
        .sections
        .iter()
        .map(|section| section.title.as_str())
        .collect();
    assert_eq!(titles, ["Out"]);
    assert_eq!((findings[0].place.line, findings[0].place.column), (6, 5));
    assert_eq!(page.links[1].line, 10);
    assert_eq!(
        page.sections[0].markdown,
        "!!! tip \"Read [y](a.html)\"\n    z"
    );
}

#[test]
fn formulas_are_set_without_a_script() {
    let html =
        lead("The rate $\\frac{a}{b}$ of $HOME/$USER.\n\n$$x^2$$\n\n```math\n\\sum_i x_i\n```\n");
    assert_eq!(html.matches("<math").count(), 3, "{html}");
    assert!(html.contains("of $HOME/$USER."), "{html}");
    assert!(
        html.contains("<annotation encoding=\"application/x-tex\">\\sum_i x_i</annotation>"),
        "{html}"
    );
    let code = lead("<b>x</b> $\\begin{align}<script>$\n");
    assert!(
        code.contains("<code class=\"formula\">\\begin{align}&lt;script&gt;</code>"),
        "{code}"
    );
}

#[test]
fn blocks_name_the_depth_of_what_an_alert_says() {
    let all = blocks("!!! note\n    one\n\ntwo\n").blocks;
    let found: Vec<(u32, usize)> = all.iter().map(|block| (block.line, block.depth)).collect();
    assert_eq!(found, [(2, 1), (4, 0)]);
}
