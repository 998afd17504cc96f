//! The work of hand-written scanners grows no faster than their input. Steps are counted, not timed (`base::steps`).

use std::borrow::Cow;
use std::collections::BTreeMap;

use base::steps::counted;
use claims::asciidoc;
use claims::promql::Expression;
use markdown::BlockKind;
use search::{Row, RowValue, RowWeight, Searchable, TextField};

use crate::fuzz::engines::TARGETS;

/// Texts that are repeated: what opens something and never closes it, and what makes a scanner look back or ahead.
const REPEATED: &[&str] = &[
    "a",
    " ",
    "=",
    ":",
    "@",
    "?",
    "://",
    "a=",
    "a: ",
    "password=",
    "password: x ",
    "token=\"",
    "\"",
    "'",
    "\\",
    "$",
    "${",
    "${a:-",
    "$(",
    "`",
    "<",
    "<a ",
    "<password>",
    "&",
    "&amp;",
    "#",
    "%3D",
    "Bearer ",
    "Bearer a ",
    "ghp_",
    "ghp_aaaaaaaaaaaaaaaa",
    "eyJ",
    "-u ",
    "--password ",
    "a:b@",
    "http://a:b@",
    "http://a?b=",
    "{{",
    "{{ \"",
    "}}",
    "[",
    "](",
    "![",
    "- ",
    "> ",
    "*",
    "**a",
    "_a_",
    "|",
    "a|b\n",
    "\n",
    "\r\n",
    "a\n",
    "a: b\n",
    "- a\n",
    "<<E\n",
    "| a",
    "&& a",
    "PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----",
    "a-->b\n",
    "%%{",
    "ü",
    "日本",
];

/// What comes before the repeated text, so that a target takes it for what it reads.
const STARTS: &[(&str, &[&str])] = &[
    ("redaction", &[""]),
    ("highlight", &["yaml\n", "sh\n", "console\n$ "]),
    ("template", &["", "{{ "]),
    ("markdown", &[""]),
    (
        "mermaid",
        &["flowchart TD\n", "sequenceDiagram\n", "classDiagram\n"],
    ),
    ("shell", &[""]),
    ("address", &[""]),
    ("yaml", &["", "a: ", "- ", "a: |\n  ", "a: [", "a: \""]),
    ("chart", &["", "{{ ", "{{ tpl \""]),
    ("hcl", &["", "a = ", "locals {\n  a = \""]),
    ("promql", &["", "sum(", "up{"]),
    ("sentence", &["", "The file `a.yaml` contains "]),
    ("asciidoc", &["", "= ", "a: "]),
    ("search", &[""]),
];

/// Texts that a target reads to their end, rather than refuse.
const WHOLE: &[(&str, &str, &str)] = &[
    (
        "hcl",
        "",
        "locals {\n  a = [for x in [1, 2] : \"x${x}\"]\n}\n",
    ),
    (
        "chart",
        "",
        "{{ range list 1 2 }}{{ . | quote }}{{ end }}\n",
    ),
    ("chart", "a: b\n---\n", "k: [1, {b: c}]\n"),
    ("template", "", "{{ range .b }}{{ . }}{{ end }}\n"),
    ("yaml", "", "- a: b\n  c: [1, {d: e}]\n"),
    ("search", "", "payments database 1.2.3 "),
    (
        "sentence",
        "",
        "- The file `a.yaml` contains `b`, and is in the namespace shop.\n",
    ),
    (
        "sentence",
        "",
        "it runs in the namespace shop and listens on port 80, ",
    ),
    ("asciidoc", "", "xref:a.adoc[A] "),
    ("asciidoc", "", "xref:"),
    ("asciidoc", "", "link:a[b"),
    ("promql", "", "sum by (a) (rate(x{b=\"c\"}[5m])) + "),
];

/// A scanner by its name.
type NamedScanner = (&'static str, fn(&str));

/// Scanners that are no targets of the fuzzer.
const OTHERS: &[NamedScanner] = &[
    ("promql", |text| drop(Expression::read(text))),
    ("sentence", read_sentences),
    ("asciidoc", |text| drop(asciidoc::to_markdown(text))),
    ("search", index),
];

fn read_sentences(text: &str) {
    for block in markdown::blocks(text).blocks {
        let (BlockKind::Item { text, .. } | BlockKind::Paragraph(text)) = &block.kind else {
            continue;
        };
        drop(claims::Sentence::parse(text));
        drop(claims::prose::facts(text, &["a"]));
    }
}

fn index(text: &str) {
    let document = Searchable {
        title: Cow::Borrowed(text),
        href: Cow::Borrowed("a/"),
        kind: "page",
        weight: RowWeight::Prose,
        context: Cow::Borrowed(text),
        fields: vec![(TextField::Text, Cow::Borrowed(text))],
        rows: vec![Row {
            kind: "setting",
            weight: RowWeight::Prose,
            title: Cow::Borrowed(text),
            values: vec![RowValue {
                text: Cow::Borrowed(text),
                environments: Vec::new(),
            }],
            anchor: None,
        }],
    };
    drop(search::index(&[document], &[], &[]));
}

const BYTES: usize = 1_000;

#[test]
fn twice_the_input_costs_little_more_than_twice_the_steps() {
    let mut worst: Vec<(f64, String)> = Vec::new();
    let runs = || TARGETS.iter().chain(OTHERS);
    // What a target does for the first time, such as to compile patterns, counts for none of them.
    // All of it is counted on one thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.unwrap();
    let mut measure = |name: &str, start: &str, repeated: &str| {
        let (_, run) = runs().find(|(target, _)| *target == name).unwrap();
        let text = |bytes: usize| format!("{start}{}", repeated.repeat(bytes / repeated.len()));
        let (small, large) = (text(BYTES), text(2 * BYTES));
        let one = pool.install(|| counted(|| run(&small)));
        let two = pool.install(|| counted(|| run(&large)));
        // What a few bytes cost says nothing.
        let growth = (two + 200) as f64 / (one + 200) as f64;
        worst.push((
            growth,
            format!("{name}: {start:?} {repeated:?}: {one} and {two} steps"),
        ));
        (one, two)
    };
    let mut all: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let mut add = |name, (one, two)| {
        let sum = all.entry(name).or_default();
        *sum = (sum.0 + one, sum.1 + two);
    };
    for (name, starts) in STARTS {
        for start in *starts {
            for repeated in REPEATED {
                add(name, measure(name, start, repeated));
            }
        }
    }
    for (name, start, repeated) in WHOLE {
        add(name, measure(name, start, repeated));
    }
    for (name, (half, whole)) in all {
        // The exponent of all texts together; `--nocapture` shows it.
        println!("{name}: {:.2}", (whole as f64 / half as f64).log2());
        assert!(name == "address" || whole > 0, "{name} counts nothing");
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    let slow: Vec<_> = worst
        .iter()
        .take_while(|(growth, _)| *growth > 2.5)
        .collect();
    assert!(slow.is_empty(), "{slow:#?}");
}
