//! The YAML layer through its own door.

use super::*;
use base::{Effect, FileId};

fn read(text: &str) -> Parsed {
    parse(text, FileId(0))
}

fn json(text: &str) -> serde_json::Value {
    let parsed = read(text);
    assert!(parsed.findings.is_empty(), "{:?}", parsed.findings);
    to_json(&parsed.documents[0].root)
}

#[test]
fn every_node_knows_its_line_and_column() {
    let parsed = read("# top\nspec:\n  path: ./apps # where\n  list:\n    - name: a\n");
    let root = &parsed.documents[0].root;
    let path = root.at(&["spec", "path"]).unwrap().place;
    assert_eq!((path.line, path.column, path.len), (3, 9, 6));
    let name = root.at(&["spec", "list"]).unwrap().items()[0].get("name");
    assert_eq!(name.unwrap().place.line, 5);
    let comments = &parsed.documents[0].comments;
    assert_eq!(comments.len(), 2);
    assert_eq!(comments[1].position, CommentPosition::AfterValue);
    assert_eq!(comments[1].place.line, 3);
}

#[test]
fn yaml_inside_a_block_scalar_has_places_in_the_outer_file() {
    let text = "patches:\n  - patch: |-\n      spec:\n        wait: true\n";
    let parsed = read(text);
    let patch = parsed.documents[0].root.items_at("patches")[0].get("patch");
    let inner = parse_within(patch.unwrap());
    let wait = inner.documents[0].root.at(&["spec", "wait"]).unwrap();
    assert_eq!((wait.place.line, wait.place.column), (4, 15));
}

#[test]
fn anchors_aliases_and_merge_keys_are_resolved() {
    let text = "a: &a {x: 1, y: 2}\nb: *a\nc:\n  <<: *a\n  y: 3\nd:\n  <<: [{y: 9}, *a]\n";
    assert_eq!(
        json(text),
        serde_json::json!({"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 2}, "c": {"y": 3, "x": 1}, "d": {"y": 9, "x": 1}})
    );
}

#[test]
fn an_anchor_may_be_defined_again() {
    assert_eq!(
        json("a: &x 1\nb: *x\nc: &x 2\nd: *x\n"),
        serde_json::json!({"a": 1, "b": 1, "c": 2, "d": 2})
    );
}

#[test]
fn custom_tags_keep_the_value() {
    assert_eq!(
        json("a: !vault secret\nb: !Ref {c: 1}\nd: !!str 5\ne: !!int \"5\"\n"),
        serde_json::json!({"a": "secret", "b": {"c": 1}, "d": "5", "e": 5})
    );
}

#[test]
fn a_broken_document_costs_one_finding_and_the_others_count() {
    let parsed = read("a: 1\n---\nb: 'open\n---\nc: 3\n---\nd: [1, 2\n---\ne: 5\n");
    let roots: Vec<_> = parsed.documents.iter().map(|d| to_json(&d.root)).collect();
    assert!(roots.contains(&serde_json::json!({"a": 1})));
    assert!(roots.contains(&serde_json::json!({"e": 5})));
    assert!(!parsed.findings.is_empty());
    assert!(parsed.findings.iter().all(|f| f.rule == "yaml-syntax"));
}

#[test]
fn a_repeated_key_is_reported_where_it_stands() {
    let parsed = read("a: 1\nb: 2\na: 3\n");
    assert_eq!(parsed.findings.len(), 1);
    assert_eq!(parsed.findings[0].rule, "yaml-duplicate-key");
    assert_eq!(parsed.findings[0].place.line, 3);
}

#[test]
fn a_billion_laughs_cost_one_finding() {
    let mut text = String::from("a0: &a0 [lol]\n");
    for i in 1..30 {
        text += &format!(
            "a{i}: &a{i} [{}]\n",
            vec![format!("*a{}", i - 1); 10].join(", ")
        );
    }
    let parsed = read(&text);
    assert_eq!(parsed.findings.len(), 1);
    assert_eq!(parsed.findings[0].rule, "yaml-expansion");
}

#[test]
fn deep_nesting_costs_one_finding() {
    for text in [
        "[".repeat(10_000),
        "- ".repeat(10_000),
        "{a: ".repeat(10_000),
    ] {
        let parsed = read(&text);
        assert_eq!(parsed.findings.len(), 1);
        assert_eq!(
            parsed.findings[0].rule, "yaml-too-deep",
            "{:?}",
            parsed.findings[0]
        );
    }
    let chain: String = (1..10_000)
        .map(|i| format!("a{i}: &a{i} [*a{}]\n", i - 1))
        .collect();
    let parsed = read(&format!("a0: &a0 [x]\n{chain}"));
    assert_eq!(parsed.findings[0].rule, "yaml-expansion");
}

#[test]
fn an_alias_with_a_colon_is_a_key() {
    let parsed = read("name: &app shop\nvalues:\n  *app:\n    image: web\n");
    assert_eq!(parsed.findings, []);
    let root = &parsed.documents[0].root;
    assert_eq!(root.text_at(&["values", "shop", "image"]), Some("web"));
}

#[test]
fn an_alias_to_the_collection_around_it_is_refused() {
    assert_eq!(
        read("a: &a [*a]\n").findings[0].rule,
        "yaml-recursive-alias"
    );
    assert_eq!(read("a: *b\n").findings[0].rule, "yaml-unknown-anchor");
}

#[test]
fn a_finding_says_why_a_document_was_skipped() {
    let effect = |text: &str| read(text).findings[0].effect;
    assert_eq!(effect("a: [\n"), Effect::InvalidSyntax);
    assert_eq!(effect("{{- if .Values.x }}\nkind: A\n"), Effect::Template);
    assert_eq!(effect("a: *b\n"), Effect::Unreadable);
    assert_eq!(effect("a: 1\na: 2\n"), Effect::DuplicateKey);
}

#[test]
fn a_template_is_called_a_template() {
    let parsed = read("{{- if .Values.x }}\nkind: A\n{{- end }}\n");
    assert_eq!(parsed.findings[0].rule, "yaml-template");
    let parsed = read("hosts:\n%{ for host in hosts ~}\n  - ${host}\n%{ endfor ~}\n");
    assert_eq!(parsed.findings[0].rule, "yaml-template");
    let parsed = read("kind: A\nname: {{ .app_name }}\nage: 1\n");
    assert_eq!(parsed.findings.len(), 1);
    assert_eq!(parsed.findings[0].rule, "yaml-template");
    let parsed = read("kind: A\n{% if x %}\nage: 1\n{% endif %}\n");
    assert_eq!(parsed.findings[0].rule, "yaml-template");
    assert_eq!(read("? [a, b]\n: c\n").findings[0].rule, "yaml-complex-key");
    let parsed = read("match: %{IP:client}\n");
    assert_eq!(parsed.findings[0].rule, "yaml-syntax");
}

#[test]
fn lines_of_a_quoted_scalar_need_no_indentation() {
    // What `kubectl kustomize` makes of it.
    let text = "data:\n    x: \"abc\n  def\"\n    y: 'abc\nde\n\n   g'\n    z: 1\n";
    let expected = serde_json::json!({"data": {"x": "abc def", "y": "abc de\ng", "z": 1}});
    assert_eq!(json(text), expected);
    assert!(read(text).findings.is_empty());
    let parsed = read("a:\n  b: \"c\nd\" e\n");
    assert_eq!(parsed.findings[0].rule, "yaml-syntax");
    assert!(parsed.findings[0].place.column < 10, "{parsed:?}");
    // There is an end to it.
    let long = format!("a:\n  b: \"{}\"\n", "c\n".repeat(1000));
    assert_eq!(read(&long).findings[0].rule, "yaml-syntax");
}

#[test]
fn empty_documents_give_nothing() {
    assert!(read("").documents.is_empty());
    assert!(read("---\n# only a comment\n---\n").documents.is_empty());
}

#[test]
fn a_tree_has_room_for_what_it_holds_and_no_more() {
    fn check(node: &Node) {
        match &node.value {
            Value::Scalar(_) => {}
            Value::Seq(items) => {
                assert_eq!(items.capacity(), items.len());
                items.iter().for_each(check);
            }
            Value::Map(map) => {
                assert_eq!(map.0.capacity(), map.0.len());
                map.0.iter().for_each(|entry| check(&entry.value));
            }
        }
    }
    let text = "a: {b: [1, [2, 3], {c: 4, d: []}], e: {}}\nf:\n  - g: 5\n    h: 6\n  - 7\n";
    check(&read(text).documents[0].root);
    let expected = serde_json::json!({
        "a": {"b": [1, [2, 3], {"c": 4, "d": []}], "e": {}},
        "f": [{"g": 5, "h": 6}, 7],
    });
    assert_eq!(json(text), expected);
}

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// Compares both parsers on a text; returns whether the fast one read it.
fn both_agree_on(text: &str) -> bool {
    let Some(documents) = block::parse(text, FileId(0)) else {
        return false;
    };
    let complete = load::parse_completely(text, FileId(0));
    assert_eq!(complete.findings, [], "{text:?}");
    assert_eq!(documents.len(), complete.documents.len(), "{text:?}");
    for (one, other) in documents.iter().zip(&complete.documents) {
        assert_eq!(one.root, other.root, "{text:?}");
        let comments = |document: &Document| {
            let all = document.comments.iter();
            all.map(|one| (one.text.clone(), one.place, one.position))
                .collect::<Vec<_>>()
        };
        assert_eq!(comments(one), comments(other), "{text:?}");
    }
    true
}

#[test]
fn the_fast_parser_reads_what_files_consist_of() {
    for text in [
        "# top\n---\na: 1 # one\nb:\n- x\n- y: z\n  w: {}\n# end\n",
        "a:\nb: # none\n  - c:\n    d: 'it''s'\n  -\n  - - 1\n    - 2\n",
        "a: one\n  two\n\n  three\nb: \"x\\ny\" # c\n",
        "a: |\n  one\n\n    two\n\nb: |-\n  x\nc: |+\n  y\n\n",
        "verbs: [get, \"list\", 'watch'] # all\nempty: []\nurl: http://x.y/z#a\n",
        "a: 'one\n  two''s\n\n  three' # c\nb: \"x\n  y\\\"\\n  z\"\n",
        "a: 1\n---\nb: 2\n# c\n---\nc: \u{e9}t\u{e9} # d\n",
        "a:\n  {}\nb:\n  [] # c\nc: { }\nd: [ ]\ne: [_f, {g: h, 'i': [j]}]\nk:\n  l\n",
        "a: >-\n  one\n  two\n\n  three\nb: >\n  x\n\nc: |\n\n  y\n",
        "a: \"one\\\n  \\  two\n  three\\\n  \"\n# b\tc\nd: 'e'",
    ] {
        assert!(both_agree_on(text), "{text:?}");
    }
}

#[test]
fn both_parsers_agree_on_whatever_the_fast_one_reads() {
    const LINES: &[&str] = &[
        "a: 1",
        "b:",
        "- c",
        "- d: 1",
        "-",
        "e: 'f'",
        "g: \"h\"",
        "i: |",
        "j: |-",
        "k: |+",
        "text",
        "# l",
        "m: n # o",
        "[p]",
        "q: [r, s]",
        "t: {}",
        "---",
        "",
        "u: v: w",
        "- - x",
        "'y': z",
        "? a",
        "&b c",
        "d: >",
        "e: |2",
        "f: a\tb",
        "\tg",
        "h: -",
        "i:j",
        "k : l",
        "...",
        "m: \"n",
        "o'",
        "p: #q",
        "r: 's' t",
        "- 'u': v",
        "~: w",
        "1: x",
        "y: 'z' # a",
        "<<: b",
        "- # c",
        "d: e #f",
        "null",
        "g: [h,",
        "i]",
        "- [j]",
        "- k: |",
        "- |",
        "l: \u{e9}",
        "- \"m\": n",
        "- 'one",
        "p: \"q",
        "two'",
        "r\" # s",
        "t: 'u''",
        "''v",
        "{}",
        "{ a: b, 'c': [d] }",
        "[ _e ]",
        "f: {g: h}",
        "i: >",
        "j: >-",
        "k: \"l\\",
        "\\ m",
        "n\\",
        "# o\tp",
    ];
    const PARTS: &[&str] = &[
        "a", ":", " ", "- ", "#", "'", "\"", "|", "b: ", "\n", "\n", "\n  ", "\n    ", "[", "]",
        ", ", "{}", ": ", "---\n", "\\n", "1", "\u{e9}", "{", "}", "\\\n", "\\ ", ">", ">-\n",
        "\t",
    ];
    let mut numbers = Numbers(7);
    let mut read = 0;
    for _ in 0..60_000 {
        let mut text = String::new();
        for _ in 0..1 + numbers.below(7) {
            text.push_str(&"  ".repeat(numbers.below(4)));
            text.push_str(LINES[numbers.below(LINES.len())]);
            text.push('\n');
        }
        read += usize::from(both_agree_on(&text));
        read += usize::from(both_agree_on(text.trim_end_matches('\n')));
        text.clear();
        for _ in 0..1 + numbers.below(14) {
            text.push_str(PARTS[numbers.below(PARTS.len())]);
        }
        text.push('\n');
        read += usize::from(both_agree_on(&text));
    }
    assert!(read > 2_000, "{read}");
}
