//! The work of hand-written scanners grows no faster than their input. Steps are counted, not timed (`base::steps`).

use base::steps::counted;

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
];

const BYTES: usize = 1_000;

#[test]
fn twice_the_input_costs_little_more_than_twice_the_steps() {
    let mut worst: Vec<(f64, String)> = Vec::new();
    for (name, starts) in STARTS {
        let (_, run) = TARGETS.iter().find(|(target, _)| target == name).unwrap();
        let mut all = 0;
        for start in *starts {
            for repeated in REPEATED {
                let text =
                    |bytes: usize| format!("{start}{}", repeated.repeat(bytes / repeated.len()));
                let (small, large) = (text(BYTES), text(2 * BYTES));
                let one = counted(|| run(&small));
                let two = counted(|| run(&large));
                all += two;
                // What a few bytes cost says nothing.
                let growth = (two + 200) as f64 / (one + 200) as f64;
                worst.push((
                    growth,
                    format!("{name}: {start:?} {repeated:?}: {one} and {two} steps"),
                ));
            }
        }
        assert!(*name == "address" || all > 0, "{name} counts nothing");
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    let slow: Vec<_> = worst
        .iter()
        .take_while(|(growth, _)| *growth > 2.5)
        .collect();
    assert!(slow.is_empty(), "{slow:#?}");
}
