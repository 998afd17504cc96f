//! Commands that print the value of a secret: it stays in the terminal, in its history and in whatever records the screen.

use super::args::{Args, Flags};
use super::{CommandFault, after};
use base::Severity;
use shell::{Command, CommandOutput, Pipeline, Word};

const FLAGS: Flags = Flags {
    with_value: &["o", "output", "l", "selector", "template", "field-selector"],
    alone: &[
        "A",
        "all-namespaces",
        "w",
        "watch",
        "ignore-not-found",
        "no-headers",
        "show-managed-fields",
    ],
};

/// Programs that pass their input on, unchanged or decoded.
const SHOWING: &[&str] = &[
    "base64", "cat", "less", "more", "head", "tail", "grep", "egrep", "jq", "yq", "python",
    "python3", "xargs", "tr", "sed", "awk", "cut", "tee", "bat", "sort", "fold", "echo", "column",
];

/// The fault of a command that prints a secret, where nothing behind it keeps it from being seen.
pub fn printed(tool: &str, words: &[Word], pipeline: &Pipeline, at: usize) -> Option<CommandFault> {
    if tool != "kubectl" {
        return None;
    }
    let args = Args::parse(words, &[&super::kubectl::GLOBAL, &FLAGS]);
    let plain: Vec<&str> = args
        .plain
        .iter()
        .map(|at| words[*at].text.as_str())
        .collect();
    let [verb, kind, ..] = plain.as_slice() else {
        return None;
    };
    let (kind, of_kind) = kind.split_once('/').unwrap_or((kind, ""));
    let is_secret = *verb == "get" && matches!(kind, "secret" | "secrets");
    let (_, format) = args.value(&["o", "output"])?;
    let template = args
        .value(&["template"])
        .map_or("", |(_, template)| template);
    if !is_secret || !shows_values(format, template) || pipeline.output == CommandOutput::Kept {
        return None;
    }
    let behind = after(pipeline, at);
    if !behind.iter().all(shows) {
        return None;
    }
    let name = match (of_kind, plain.get(2)) {
        ("", name) => name.copied().unwrap_or("<name>"),
        (name, _) => name,
    };
    let namespace = args.value(&["n", "namespace"]);
    let namespace = namespace.map_or(String::new(), |(_, name)| format!("-n {name} "));
    Some(CommandFault {
        rule: "command-prints-secret",
        severity: Severity::Warning,
        message: format!("this command prints the values of the Secret `{name}`"),
        help: Some(format!(
            "use `kubectl {namespace}describe secret {name}` to see the keys and sizes; if you need a \
             value, pass it on without printing it"
        )),
    })
}

/// Whether a format has the values in it.
fn shows_values(format: &str, template: &str) -> bool {
    let (format, inline) = format.split_once('=').unwrap_or((format, template));
    match format {
        "yaml" | "json" => true,
        "jsonpath" | "go-template" | "jsonpath-as-json" | "custom-columns" => {
            let about_data = inline.contains(".data") || inline.contains("index .data");
            let only_keys = inline.contains("range $k") && !inline.contains("$v");
            about_data && !only_keys
        }
        _ => false,
    }
}

/// Whether a program displays its input.
fn shows(command: &Command) -> bool {
    let Some(name) = command.words.first().map(|word| word.text.as_str()) else {
        return false;
    };
    let words = || command.words.iter().skip(1).map(|word| word.text.as_str());
    let says = |text: &str| words().any(|word| word.contains(text));
    match name {
        "jq" | "yq" => {
            let hidden = [
                "keys",
                "length",
                ".metadata",
                ".type",
                ".status",
                "del(.data)",
            ];
            !hidden.iter().any(|text| says(text))
        }
        "grep" | "egrep" => !words().any(|word| {
            let is_short = word.starts_with('-') && !word.starts_with("--");
            word == "--count"
                || word == "--quiet"
                || is_short && word.contains(['c', 'q'])
                || [
                    "name",
                    "annotation",
                    "label",
                    "type",
                    "condition",
                    "metadata",
                ]
                .iter()
                .any(|other| word.contains(other))
        }),
        name => SHOWING.contains(&name),
    }
}
