//! What Markdown becomes, and what it can never become.

mod dialects;
mod hostile;

use super::*;

/// Renders with links that exist unless they are called `missing`, and pictures of diagrams that begin with `graph`.
fn page(text: &str) -> (Page, Vec<Finding>) {
    page_with_prefix(text, "")
}

fn page_with_prefix(text: &str, heading_prefix: &str) -> (Page, Vec<Finding>) {
    let link = |target: &str| match target {
        "#nowhere" => LinkTarget::Broken,
        target if target.contains("missing") => LinkTarget::Broken,
        target => match target.strip_suffix(".md") {
            Some(page) => LinkTarget::Href(format!("{page}.html")),
            None => LinkTarget::Keep,
        },
    };
    let mermaid = |source: &str| {
        if source.starts_with("graph") {
            Ok(Html::trusted("<svg></svg>".to_owned()))
        } else {
            Err(diagram::Error::Unknown)
        }
    };
    let context = Context {
        file: FileId(7),
        link: &link,
        markdown_href: &str::to_owned,
        heading_prefix,
    };
    let figures = Figures {
        code: &Highlighter::new(),
        mermaid: &mermaid,
    };
    render(text, &context, &figures)
}

fn lead(text: &str) -> String {
    page(text).0.lead.into_string()
}

/// Every part of a page, one after the other.
fn parts(page: &Page) -> Vec<&str> {
    let sections = page.sections.iter().map(|section| section.html.as_str());
    std::iter::once(page.lead.as_str())
        .chain(sections)
        .collect()
}

#[test]
fn a_page_is_a_title_a_lead_and_sections() {
    let (page, findings) = page(
        "above\n\n# ESO *two*\n\nLead.\n\n## Purpose\n\nWhy.\n\n### Detail\n\nx\n\n## Features\n",
    );
    assert_eq!(findings, []);
    assert_eq!(page.title.as_deref(), Some("ESO two"));
    assert_eq!(page.lead.as_str(), "<p>above</p>\n<p>Lead.</p>\n");
    assert_eq!(page.lead_markdown, "above\n\nLead.");
    let sections: Vec<_> = page
        .sections
        .iter()
        .map(|s| {
            (
                s.level,
                s.id.as_str(),
                s.title.as_str(),
                s.line,
                s.markdown.as_str(),
            )
        })
        .collect();
    assert_eq!(
        sections,
        [
            (2, "purpose", "Purpose", 7, "Why.\n\n### Detail\n\nx"),
            (2, "features", "Features", 15, ""),
        ]
    );
    assert_eq!(
        page.sections[0].html.as_str(),
        "<p>Why.</p>\n<h3 id=\"detail\">Detail<a class=\"anchor\" href=\"#detail\" \
         aria-label=\"Link to Detail\"></a></h3>\n<p>x</p>\n"
    );
    assert_eq!(
        page.text,
        "ESO two above Lead. Purpose Why. Detail x Features"
    );
    assert_eq!(page.words, 9);
}

#[test]
fn a_page_without_a_title_has_none() {
    let (page, _) = page("## A\n\ntext\n\n# B\n\n## C\n");
    assert_eq!(page.title, None);
    let titles: Vec<_> = page
        .sections
        .iter()
        .map(|s| (s.level, s.title.as_str()))
        .collect();
    assert_eq!(titles, [(2, "A"), (1, "B")]);
}

#[test]
fn an_empty_page_is_empty() {
    let (page, findings) = page("");
    assert_eq!((page.lead.as_str(), page.words, findings.len()), ("", 0, 0));
}

#[test]
fn headings_with_the_same_text_have_different_ids() {
    let (page, _) = page("## A\n## A\n## A-1\n## A\n## !!!\n");
    let ids: Vec<_> = page.sections.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids, ["a", "a-1", "a-1-1", "a-2", "section"]);
}

#[test]
fn ids_keep_letters_of_all_languages_and_take_the_prefix() {
    let (page, _) = page_with_prefix(
        "## Größe & Übersicht\n\n[x](#größe--übersicht)\n\n## 日本語 `code`\n\n## T {#own}\n",
        "doc-",
    );
    let ids: Vec<_> = page.sections.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids, ["doc-größe--übersicht", "doc-日本語-code", "doc-own"]);
    assert!(
        page.sections[0]
            .html
            .as_str()
            .contains("href=\"#doc-größe--übersicht\"")
    );
}

#[test]
fn headings_in_quotes_and_lists_do_not_begin_sections() {
    let (page, _) = page("> # Quoted\n\n- ## Listed\n\n## Real\n");
    assert_eq!(page.title, None);
    assert_eq!(page.sections.len(), 1);
    assert!(page.lead.as_str().contains("<h2 id=\"quoted\">"));
}

#[test]
fn a_heading_in_a_fold_stays_in_it() {
    let (page, _) = page(
        "<details>\n<summary>More</summary>\n\n## Inside\n\ntext\n\n</details>\n\n## Outside\n",
    );
    assert_eq!(page.sections.len(), 1);
    let lead = page.lead.as_str();
    assert!(
        lead.starts_with("<details>\n<summary>More</summary>\n"),
        "{lead}"
    );
    assert!(lead.trim_end().ends_with("</details>"), "{lead}");
}

#[test]
fn tables_scroll_inside_themselves_and_know_their_columns() {
    assert_eq!(
        lead("| A | B |\n|---|--:|\n| `x` | 1 |\n"),
        "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>\n<thead><tr>\
         <th scope=\"col\">A</th><th scope=\"col\" class=\"right\">B</th></tr></thead>\n<tr><td><code>x</code></td>\
         <td class=\"right\">1</td></tr>\n</table></div>\n"
    );
}

#[test]
fn task_lists_say_what_is_done() {
    assert_eq!(
        lead("- [x] a\n- [ ] b\n- c\n"),
        "<ul>\n<li class=\"task\"><input type=\"checkbox\" disabled checked aria-label=\"Done\"> a</li>\n\
         <li class=\"task\"><input type=\"checkbox\" disabled aria-label=\"To do\"> b</li>\n<li>c</li>\n</ul>\n"
    );
}

#[test]
fn alerts_strikethrough_and_hard_breaks_are_known() {
    assert_eq!(
        lead("> [!WARNING]\n> Do ~~not~~.  \n> Or -- \"do\".\n"),
        "<blockquote class=\"alert alert-warning\"><p class=\"alert-title\">Warning</p>\n<p>Do <del>not</del>.<br>\n\
         Or -- \"do\".</p>\n</blockquote>\n"
    );
}

#[test]
fn a_footnote_stands_at_the_end_of_the_part_that_refers_to_it() {
    let (page, _) =
        page("a[^n] b[^n]\n\n## S\n\nc[^m]\n\n[^n]: First.\n[^m]: Second.\n[^o]: Unused.\n");
    let lead = page.lead.as_str();
    assert!(lead.contains("id=\"fnref-1\""), "{lead}");
    assert!(
        lead.contains("<li id=\"fn-1\" value=\"1\"><p>First.</p>"),
        "{lead}"
    );
    let section = page.sections[0].html.as_str();
    assert!(
        section.contains("<li id=\"fn-2\" value=\"2\"><p>Second.</p>"),
        "{section}"
    );
    assert!(!section.contains("Unused"), "{section}");
}

#[test]
fn code_has_a_head_and_colours() {
    assert_eq!(
        lead("```yaml\na: 1\n```\n"),
        "<figure class=\"code\"><figcaption><span>YAML</span><button class=\"copy\" type=\"button\" hidden>Copy</button>\
         </figcaption><pre tabindex=\"0\"><code><i class=a>a</i>: <i class=n>1</i></code></pre></figure>\n"
    );
    assert!(lead("```yaml title=\"a/b.yaml\"\n```\n").contains("<span>a/b.yaml</span>"));
    assert!(lead("    <b>\n").contains("<code>&lt;b&gt;</code>"));
}

#[test]
fn a_diagram_is_drawn_and_keeps_its_source() {
    let (page, findings) = page("text\n\n```mermaid\ngraph TD\na-->b\n```\n");
    assert_eq!(findings, []);
    assert!(page.lead.as_str().contains(
        "<figure class=\"drawing\"><div class=\"diagram-view\"><svg></svg></div><details"
    ));
    assert!(page.lead.as_str().contains("a--&gt;b"));
    assert_eq!(
        page.mermaid,
        [MermaidBlock {
            source: "graph TD\na-->b\n".to_owned(),
            line: 3
        }]
    );
}

#[test]
fn a_diagram_that_cannot_be_drawn_shows_its_source_and_is_reported() {
    let (page, findings) = page("```mermaid\nnonsense\n```\n");
    assert!(page.lead.as_str().contains("nonsense"));
    assert_eq!(
        (findings[0].rule, findings[0].place.line),
        ("diagram-not-drawn", 1)
    );
}

#[test]
fn links_lead_where_the_site_has_them() {
    assert_eq!(
        lead("[a](b.md) [c](https://d.e \"t\") <https://f.g> <h@i.j>\n"),
        "<p><a href=\"b.html\">a</a> <a href=\"https://d.e\" title=\"t\" rel=\"noopener noreferrer\">c</a> \
         <a href=\"https://f.g\" rel=\"noopener noreferrer\">https://f.g</a> \
         <a href=\"mailto:h@i.j\" rel=\"noopener noreferrer\">h@i.j</a></p>\n"
    );
}

#[test]
fn bare_addresses_are_links_without_the_end_of_the_sentence() {
    assert_eq!(
        lead("See (https://a.b/c_d(e)), or `http://x`.\n"),
        "<p>See (<a href=\"https://a.b/c_d(e)\" rel=\"noopener noreferrer\">https://a.b/c_d(e)</a>), or \
         <code>http://x</code>.</p>\n"
    );
    assert_eq!(lead("http:// xhttp://a\n"), "<p>http:// xhttp://a</p>\n");
}

#[test]
fn a_broken_link_is_text_and_is_reported_at_its_place() {
    let (page, findings) = page("---\ntitle: x\n---\n\né [gone](missing.md) and [no](#nowhere)\n");
    assert_eq!(
        page.lead.as_str(),
        "<p>é <span class=\"broken\">gone</span> and <span class=\"broken\">no</span></p>\n"
    );
    let place = Place {
        file: FileId(7),
        line: 5,
        column: 3,
        len: 18,
    };
    assert_eq!(
        (findings[0].rule, findings[0].place),
        ("link-broken", place)
    );
    assert!(
        findings[0].message.contains("`missing.md`"),
        "{}",
        findings[0].message
    );
    assert_eq!(
        page.links[0],
        Link {
            target: "missing.md".to_owned(),
            line: 5
        }
    );
}

#[test]
fn an_anchor_may_stand_before_its_heading_and_the_title_is_the_top() {
    let (page, findings) =
        page("# Top\n\n[a](#later) [b](#top) [c](#mark)\n\n## Later\n\n<a id=\"mark\"></a>\n");
    assert_eq!(findings, []);
    let lead = page.lead.as_str();
    assert!(
        lead.contains("href=\"#later\"")
            && lead.contains("href=\"#\"")
            && lead.contains("href=\"#mark\"")
    );
    assert!(page.sections[0].html.as_str().contains("id=\"mark\""));
}

#[test]
fn images_of_other_sites_are_links() {
    assert_eq!(
        lead(
            "![own](a/b.png) ![far](https://x.y/z.png) [![badge](//x.y/b.svg)](c.md) ![](\\\\\\\\x/y)\n"
        ),
        "<p><img src=\"a/b.png\" alt=\"own\" loading=\"lazy\"> \
         <a href=\"https://x.y/z.png\" rel=\"noopener noreferrer\">far</a> <a href=\"c.html\">badge</a> \
         <a href=\"\\\\x/y\" rel=\"noopener noreferrer\">\\\\x/y</a></p>\n"
    );
}

#[test]
fn front_matter_names_the_page_and_its_components() {
    let text = "---\ntitle: A\ncomponent: eso\ncomponents: [a, b]\nversion: 1.10 # x\ntags: [x, 2]\nnested: {a: b}\n---\n# T\n";
    let (page, findings) = page(text);
    assert_eq!(findings, []);
    let front = page.front_matter;
    assert_eq!(front.title.as_deref(), Some("A"));
    assert_eq!(front.component, ["eso", "a", "b"]);
    let fields: Vec<_> = front
        .fields
        .iter()
        .map(|(k, v)| (k.as_str(), v.as_str()))
        .collect();
    assert_eq!(fields, [("tags", "x, 2"), ("version", "1.10")]);
    assert_eq!(page.title.as_deref(), Some("T"));
}

#[test]
fn broken_front_matter_is_reported_and_the_page_still_shown() {
    let (page, findings) = page("---\na: [\nb: c\n---\ntext\n");
    assert_eq!(page.lead.as_str(), "<p>text</p>\n");
    assert_eq!(findings[0].rule, "front-matter-broken");
    assert!(
        (2..=4).contains(&findings[0].place.line),
        "{:?}",
        findings[0]
    );
}

#[test]
fn front_matter_that_is_too_long_is_reported() {
    let (_, findings) = page(&format!("---\na: {}\n---\ntext\n", "[".repeat(17_000)));
    assert_eq!(findings[0].rule, "front-matter-broken");
}

#[test]
fn toml_front_matter_is_passed_over_and_rules_are_not_front_matter() {
    assert_eq!(lead("+++\na = 1\n+++\ntext\n"), "<p>text</p>\n");
    assert_eq!(
        lead("---\nprose\n\n---\n\nmore\n"),
        "<hr>\n<p>prose</p>\n<hr>\n<p>more</p>\n"
    );
    assert_eq!(lead("---\nno end\n"), "<hr>\n<p>no end</p>\n");
    assert_eq!(
        lead("\u{feff}---\r\na: b\r\n---\r\ntext\r\n"),
        "<p>text</p>\n"
    );
}

#[test]
fn a_page_that_is_too_long_is_cut() {
    let text = "é\n".repeat(MAX_BYTES / 3 + 10);
    let (page, findings) = page(&text);
    assert_eq!(findings[0].rule, "page-too-long");
    assert!(page.words <= MAX_BYTES / 3 + 1);
}

#[test]
fn an_id_with_the_prefix_of_a_host_is_found_by_its_own_name() {
    let text = "<h1><a id=\"user-content--shop\" href=\"#-shop\"></a>Shop</h1>\n\n[up](#-shop)\n";
    let (_, findings) = page(text);
    assert!(findings.is_empty(), "{findings:?}");
}
