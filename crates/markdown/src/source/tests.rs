//! What blocks of other dialects become, and where their text comes from.

use super::*;

/// The text that the parser reads.
fn rewritten(text: &str) -> String {
    MarkdownSource::new(text, 0).text.into_owned()
}

#[test]
fn text_without_such_blocks_is_borrowed() {
    for text in [
        "# A\n\ntext\n",
        "a\n===\n\nb :::\n",
        "!!! this, or that\n",
        "::: note\nnever closed\n",
    ] {
        assert!(
            matches!(MarkdownSource::new(text, 0).text, Cow::Borrowed(_)),
            "{text}"
        );
    }
}

#[test]
fn every_event_knows_its_range_in_the_file() {
    let text = "---\nx: 1\n---\npärt\n\n!!! note \"A `título`\"\n\n    one [two](three.md)\n\n    - four\n\nfive\n\n\
                :::tip[Six]\nseven **eight**\n:::\n$x^2$ and $HOME/$USER and `code`\n";
    let source = MarkdownSource::new(text, 13);
    let document = source.document();
    let written: Vec<(&str, &str)> = document
        .events
        .iter()
        .filter_map(|(event, bytes)| match event {
            Event::Text(words) | Event::Code(words) | Event::InlineMath(words) => {
                Some((words.as_ref(), &text[bytes.clone()]))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        written,
        [
            ("pärt", "pärt"),
            ("A ", "A "),
            ("título", "`título`"),
            ("one ", "one "),
            ("two", "two"),
            ("four", "four"),
            ("five", "five"),
            ("Six", "Six"),
            ("seven ", "seven "),
            ("eight", "eight"),
            ("x^2", "$x^2$"),
            (" and $HOME/$USER and ", " and $HOME/$USER and "),
            ("code", "`code`"),
        ]
    );
}

#[test]
fn code_and_raw_html_stay_as_they_are() {
    for text in [
        "```\n!!! note\n    x\n```\n",
        "~~~~md\n:::note\nx\n:::\n~~~\n~~~~\n",
        "text\n\n    !!! note\n        x\n",
        "- item\n\n      !!! note\n          x\n",
        "<pre>\n\n!!! note\n    x\n\n</pre>\n",
        "<!--\n\n:::tip\nx\n:::\n-->\n",
        "    === \"Tab\"\n        x\n",
    ] {
        assert_eq!(rewritten(text), text);
    }
}

#[test]
fn only_what_is_a_block_is_taken_for_one() {
    for text in [
        "!!! wow\nnot indented\n",
        "!!! note, please\n    x\n",
        "Title\n===\n",
        ":::image source=\"a.png\":::\n\n:::\n",
        "///comment\n\n///\n",
        ":::\n\n:::\n",
        "a ::: b\n:::\n",
    ] {
        assert_eq!(rewritten(text), text);
    }
}

#[test]
fn blocks_in_lists_and_in_each_other_keep_their_place() {
    assert_eq!(
        rewritten("1. a\n\n    !!! note\n        b\n\n        ??? tip\n            c\n\n2. d\n"),
        "1. a\n\n\n    > ###### \n    >\n    > b\n    >\n    >\n    > > ###### \n    > >\n    > > c\n    > >\n\n2. d\n"
    );
    // A closing line of its own length ends a block; a shorter one does not.
    assert_eq!(
        rewritten("::::note\n:::tip\na\n:::\nb\n::::\nc\n"),
        "\n> ###### \n>\n>\n> > ###### \n> >\n> > a\n>\n> b\n\nc\n"
    );
}

#[test]
fn dollars_that_are_no_formula_stay_dollars() {
    let shown = |text: &str| {
        let source = MarkdownSource::new(text, 0);
        let events = source.document().events;
        let words = events.into_iter().filter_map(|(event, _)| match event {
            Event::Text(text) => Some(text.into_string()),
            Event::Code(text) => Some(format!("`{text}`")),
            Event::InlineMath(text) | Event::DisplayMath(text) => Some(format!("[{text}]")),
            _ => None,
        });
        words.collect::<String>()
    };
    for text in [
        "$HOME/$USER",
        "$5 or $10",
        "a $A and $B $C/$D",
        "kill $$ $$",
        "${A}${B} $(x)$",
    ] {
        assert_eq!(shown(text), text);
    }
    assert_eq!(shown("$A/$B is $x^2$"), "$A/$B is [x^2]");
    assert_eq!(shown("$A or `$B/$C` or $D."), "$A or `$B/$C` or $D.");
    assert_eq!(shown("$$\\sum_i x_i$$"), "[\\sum_i x_i]");
    let many = "$A/$B and ".repeat(20_000);
    assert_eq!(shown(&many), many.trim_end());
}
