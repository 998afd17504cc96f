//! Text that means harm: what comes out is balanced, runs nothing and asks no other machine.

use proptest::prelude::*;

use super::super::link::Resolved;
use super::super::tag::{HtmlTokens, Token};
use super::*;

const VOID: &[&str] = &["br", "hr", "img", "input", "wbr", "col"];

/// Says what is wrong with markup: tags that do not match, or what could run or load something.
fn fault(html: &str) -> Option<String> {
    let mut open = Vec::new();
    for (at, token) in HtmlTokens::new(html) {
        let tag = match token {
            Token::Text(_) => continue,
            Token::Stray | Token::Comment => return Some(format!("stray at {at}")),
            Token::Tag(tag) => tag,
        };
        let name = tag.name.as_str();
        if [
            "script", "style", "iframe", "object", "form", "link", "meta", "base",
        ]
        .contains(&name)
        {
            return Some(format!("<{name}>"));
        }
        for (key, value) in &tag.attributes {
            let is_bad_url = ["href", "src"].contains(&key.as_str())
                && match link::resolve(value, &context(), &|_| None) {
                    Resolved::Refused => true,
                    Resolved::Outside(_) => key == "src",
                    _ => false,
                };
            if key.starts_with("on") || key == "style" || key == "srcset" || is_bad_url {
                return Some(format!("{key}={value}"));
            }
        }
        if tag.is_end {
            if open.pop().as_deref() != Some(name) {
                return Some(format!("</{name}> closes nothing at {at}"));
            }
        } else if !VOID.contains(&name) {
            open.push(name.to_owned());
        }
    }
    open.pop().map(|name| format!("<{name}> stays open"))
}

fn context() -> Context<'static> {
    Context {
        file: FileId(0),
        link: &|_| LinkTarget::Keep,
        markdown_href: &str::to_owned,
        heading_prefix: "",
    }
}

fn figures() -> Figures<'static> {
    static CODE: std::sync::LazyLock<Highlighter> = std::sync::LazyLock::new(Highlighter::new);
    Figures {
        code: &CODE,
        mermaid: &|source| diagram::parse(source).map(|_| Html::default()),
    }
}

/// The whole page, once it is known to be safe, and to have the contents that it is said to have.
fn safe(text: &str) -> String {
    let (page, findings) = render(text, &context(), &figures());
    let (contents, same) = contents(text, &context());
    assert_eq!((same, &contents.ids), (findings, &page.ids), "{text:?}");
    assert_eq!(contents.links, page.links, "{text:?}");
    for part in parts(&page) {
        assert_eq!(fault(part), None, "{text:?}\n{part}");
    }
    parts(&page).concat()
}

#[test]
fn scripts_and_styles_are_gone() {
    assert_eq!(
        safe("a\n\n<script>alert(1)</script>\n\nb\n"),
        "<p>a</p>\n\n<p>b</p>\n"
    );
    assert!(!safe("x <script>alert(1)</script> y").contains("<script"));
    assert!(!safe("<svg><style><img src=x onerror=alert(1)></style></svg>").contains("onerror"));
    assert!(
        !safe("<SCRIPT SRC=//x/y.js></SCRIPT>")
            .to_lowercase()
            .contains("script")
    );
    safe(
        "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    );
    safe("<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">");
}

#[test]
fn handlers_and_styles_in_attributes_are_gone() {
    let html = safe("<img src=x onerror=alert(1) style=\"x\"> <b onclick='x' title=\"t\">z</b>");
    assert!(
        html.contains("<img src=\"x\"") && html.contains("<b title=\"t\">"),
        "{html}"
    );
    safe("<p/onmouseover=alert(1)>x</p>\n\n<a href=\"x\"onclick=\"y\">z</a>");
}

#[test]
fn links_that_run_something_are_text() {
    for target in [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        "java&#10;script:alert(1)",
        "&#106;avascript:alert(1)",
        "javascript&colon;alert(1)",
        "&#x1;javascript:alert(1)",
        "vbscript:x",
        "data:text/html,<script>alert(1)</script>",
    ] {
        for text in [
            format!("[x](<{target}>)"),
            format!("[x]({target})"),
            format!("![x](<{target}>)"),
            format!("<a href=\"{target}\">x</a>"),
            format!("<img src=\"{target}\">"),
            format!("<{target}>"),
            format!("[x][y]\n\n[y]: <{target}>\n"),
        ] {
            let html = safe(&text);
            assert!(
                !html.contains("href=\"j") && !html.contains("src=\"j"),
                "{html}"
            );
        }
    }
}

#[test]
fn tags_that_stay_open_do_not_swallow_the_page() {
    for start in [
        "<textarea>",
        "<title>",
        "<xmp>",
        "<plaintext>",
        "<noscript>",
        "<select>",
        "<template>",
        "<style>",
        "<script>",
        "<iframe>",
        "<svg>",
        "<div title=\"",
        "<div><!--",
        "<table><tr><td>",
        "<b><i><u>",
        "</div></section></main>",
        "<a href='x",
        "<![CDATA[",
        "<p title='\n",
        "<button>",
        "<form>",
        "<frameset>",
        "<body><html>",
    ] {
        for text in [
            format!("one {start} two\n\nthree `four`\n\n## Five\n\nsix\n"),
            format!("<div>{start}\n\nthree `four`\n\n## Five\n\nsix\n"),
        ] {
            let (page, _) = render(&text, &context(), &figures());
            safe(&text);
            assert!(
                page.lead.as_str().contains("<code>four</code>"),
                "{text}\n{}",
                page.lead.as_str()
            );
            assert_eq!(page.sections[0].html.as_str(), "<p>six</p>\n", "{text}");
        }
    }
}

#[test]
fn code_and_diagrams_survive_beside_raw_html() {
    let html = safe("<div align=\"center\">\n\n- [x] done\n\n```sh\nls\n```\n\n</div>\n");
    assert!(html.starts_with("<div align=\"center\">"), "{html}");
    assert!(
        html.contains("<button class=\"copy\"") && html.contains("<input type"),
        "{html}"
    );
    assert!(!html.contains("slot-"), "{html}");
}

#[test]
fn a_block_inside_an_open_attribute_cannot_break_out_of_it() {
    safe("<div title='\n\n```\nonclick=alert(1) x\n```\n\n'>y</div>\n");
    safe(
        "<hr class=\"slot-0-0\"><wbr class=\"slot-00000000000000000000000000000000-0\">\n\n```\nx\n```\n",
    );
}

#[test]
fn comments_are_left_out() {
    assert_eq!(
        safe("a <!-- b --> c<br>d\n\n<!-- e\n\nf -->\n\ng\n"),
        "<p>a  c<br>d</p>\n\n<p>g</p>\n"
    );
}

#[test]
fn ids_and_names_of_raw_html_take_the_prefix() {
    let (page, _) = page_with_prefix(
        "<a name=\"x\"></a><b id=\"y z\" class=\"own table\">q</b> [l](#x)\n",
        "p-",
    );
    let html = page.lead.as_str();
    assert!(
        html.contains("name=\"p-x\"") && html.contains("href=\"#p-x\""),
        "{html}"
    );
    assert!(html.contains("<b class=\"table\">q</b>"), "{html}");
}

#[test]
fn raw_images_and_links_are_treated_as_those_of_markdown() {
    let (page, findings) = page(
        "<p align=\"center\">\n<a href=\"a.md\"><img src=\"https://x.y/b.svg\" alt=\"badge\"></a>\n\
         <img src='logo.png' width=40>\n<img src=\"https://x.y/c.png\" alt=\"far\">\n<a href=\"missing.md\">m</a>\n</p>\n",
    );
    let html = page.lead.as_str();
    assert!(
        html.contains("<a href=\"a.html\" rel=\"noopener noreferrer\">badge</a>"),
        "{html}"
    );
    assert!(
        html.contains("<img src=\"logo.png\" alt=\"\" loading=\"lazy\" width=\"40\">"),
        "{html}"
    );
    assert!(
        html.contains("<a href=\"https://x.y/c.png\" rel=\"noopener noreferrer\">far</a>"),
        "{html}"
    );
    assert_eq!(
        (
            findings.len(),
            findings[0].place.line,
            findings[0].place.column
        ),
        (1, 5, 1)
    );
}

#[test]
fn deep_nesting_is_survived() {
    let n = 10_000;
    for text in [
        ">".repeat(n) + " x",
        "> ".repeat(n) + "x",
        "- ".repeat(n) + "x",
        "1. ".repeat(n) + "x",
        (0..300)
            .map(|i| format!("{}- x\n", "  ".repeat(i)))
            .collect::<String>(),
        "*a **b ".repeat(n),
        "[".repeat(n) + &"](x)".repeat(n),
        "![".repeat(n) + &"](x)".repeat(n),
        "<div>".repeat(n) + "x",
        "<p><li><td>".repeat(n) + "x",
        "<b title=x>".repeat(n) + &"<p>x".repeat(n),
        "<details>\n\n".repeat(n),
        "# a\n".repeat(n),
        "<script>".repeat(n),
        "`".repeat(n) + "x" + &"`".repeat(n - 1),
        "|a".repeat(n) + "\n" + &"|-".repeat(n) + "\n" + &"|\n".repeat(200),
        "[^a]".repeat(n) + "\n\n[^a]: [^b] [^a]\n[^b]: [^a]\n",
        (0..300)
            .map(|i| format!("{}!!! note\n", "    ".repeat(i)))
            .collect::<String>(),
        (0..n)
            .map(|i| format!("{}note\n", ":".repeat(3 + i % 40)))
            .collect::<String>()
            + &":::\n".repeat(n),
        ":::note\n".repeat(n) + &"\n".repeat(n) + &":::\n".repeat(n),
        "=== \"a\"\n\n    b\n".repeat(n),
        "???+ a\n".repeat(n) + "    b",
        "$x$ ".repeat(n) + &"$".repeat(n) + &"$A/$B".repeat(n),
        format!("$${}$$", "{\\frac".repeat(300)),
    ] {
        safe(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn nothing_can_be_written_that_breaks_a_page(
        parts in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec![
                    "<script>", "</script>", "<img src=x onerror=alert(1)>", "<a href=\"javascript:x\">", "</a>", "<b>",
                    "</b>", "<div>", "</div>", "<div title=\"", "\">", "<!--", "-->", "<table>", "<tr>", "<td>", "</table>",
                    "<details>", "</details>", "<svg>", "</svg>", "<style>", "<p>", "</p>", "<textarea>", "<select>", "<math>",
                    "\n", "\n\n", "\n\n", "# ", "## ", "- ", "> ", "1. ", "- [x] ", "    ", "```\n", "~~~yaml\n", "`", "**", "*", "_",
                    "~~", "[", "](", ")", "![", "](javascript:x)", "](a.md)", "](missing)", "[^1]", "[^1]: ", "|", "|-|-|\n", "---\n", "x", "é",
                    "&#106;", "&lt;", "<br>", "{#id}", "https://a.b", "<h1>", "</h1>", "'", "\"", "=", "onclick=x", "\t", "\\", "$", "$x^2$",
                    "!!! note \"", "??? tip\n    ", "=== \"a\"\n    ", ":::note[", ":::tip\n", "\n:::\n", "/// tab | a\n", "///\n",
                ]).prop_map(str::to_owned),
                "\\PC{0,6}",
            ],
            0..40,
        )
    ) {
        let text = parts.concat();
        let (page, _) = page(&text);
        for html in super::parts(&page) {
            prop_assert_eq!(fault(html), None, "{:?}\n{}", text, html);
        }
    }
}
