//! Commands that print the value of a secret: it stays in the terminal, in its history and in whatever records the screen.

use super::{CommandFault, after};
use base::Severity;
use shell::args::{Args, Flags};
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
    if *verb == "exec" {
        return environment(&args, pipeline, at);
    }
    if *verb == "set" && *kind == "env" {
        return resolved(&args, pipeline, at);
    }
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
        declared: None,
    })
}

/// Whether a format has the values in it.
fn shows_values(format: &str, template: &str) -> bool {
    let (format, inline) = format.split_once('=').unwrap_or((format, template));
    match format {
        "yaml" | "json" => true,
        "jsonpath" | "go-template" | "jsonpath-as-json" | "custom-columns" => {
            inline.contains(".data") && !prints_only_keys(inline)
        }
        _ => false,
    }
}

/// Whether a template goes over the data and prints only the first of its two variables: `range $k, $v := .data`.
fn prints_only_keys(template: &str) -> bool {
    let Some((_, rest)) = template.split_once("range $") else {
        return false;
    };
    let Some((head, body)) = rest.split_once("}}") else {
        return false;
    };
    let Some((names, _)) = head.split_once(":=") else {
        return false;
    };
    let Some((_, value)) = names.split_once(',') else {
        return false;
    };
    let value = value.trim().trim_start_matches('$');
    !value.is_empty() && !body.contains(&format!("${value}")) && !body.contains(".data")
}

/// A command in a container that prints its environment, where passwords often are.
fn environment(args: &Args<'_>, pipeline: &Pipeline, at: usize) -> Option<CommandFault> {
    let dashes = args.words.iter().position(|word| word.text == "--")?;
    let inner: Vec<&str> = args.words[dashes + 1..]
        .iter()
        .map(|word| word.text.as_str())
        .collect();
    let is_all = match inner.as_slice() {
        ["env"] | ["printenv"] => true,
        ["sh" | "bash" | "/bin/sh" | "/bin/bash", "-c", script] => {
            let first = script.split('|').next().unwrap_or_default().trim();
            let rest = script.split('|').nth(1).unwrap_or_default();
            matches!(first, "env" | "printenv") && !hides(rest) || is_echoed(script)
        }
        ["printenv", name] => is_secret_name(name),
        ["cat" | "head" | "tail" | "base64", files @ ..] => {
            files.iter().any(|file| is_secret_file(file))
        }
        _ => false,
    };
    let behind = after(pipeline, at);
    let names_plain = behind.iter().any(|command| {
        let text: Vec<&str> = command
            .words
            .iter()
            .map(|word| word.text.as_str())
            .collect();
        hides(&text.join(" "))
    });
    if !is_all || names_plain || pipeline.output == CommandOutput::Kept || !behind.iter().all(shows)
    {
        return None;
    }
    Some(CommandFault {
        rule: "command-prints-secret",
        severity: Severity::Warning,
        message: match inner.first() {
            Some(&("cat" | "head" | "tail" | "base64")) => {
                "this command prints a file with a secret".to_owned()
            }
            _ => "this command prints the environment of a container, which may hold secrets"
                .to_owned(),
        },
        help: Some(
            "print only the names, with `cut -d= -f1`, or the one variable that you need"
                .to_owned(),
        ),
        declared: None,
    })
}

/// `echo $PASSWORD` in a shell.
fn is_echoed(script: &str) -> bool {
    let script = script.trim();
    let printed = script
        .strip_prefix("echo ")
        .or_else(|| script.strip_prefix("printenv "));
    printed.is_some_and(|rest| {
        let name: String = rest
            .trim_start_matches(['"', '$', '{', '\''])
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        let is_variable = rest.contains('$') || script.starts_with("printenv");
        is_variable && is_secret_name(&name) && !rest.contains(['|', '>', '#', '+', '%', '@'])
    })
}

/// Where pods have the values of Secrets and the tokens of their accounts.
fn is_secret_file(path: &str) -> bool {
    path.starts_with("/var/run/secrets/") || path.starts_with("/run/secrets/")
}

/// `kubectl set env deploy/x --list --resolve` looks the values of Secrets up.
fn resolved(args: &Args<'_>, pipeline: &Pipeline, at: usize) -> Option<CommandFault> {
    let has = |flag: &str| args.words.iter().any(|word| word.text == flag);
    let is_shown = pipeline.output != CommandOutput::Kept && after(pipeline, at).iter().all(shows);
    (has("--list") && has("--resolve") && is_shown).then(|| CommandFault {
        rule: "command-prints-secret",
        severity: Severity::Warning,
        message: "this command prints the environment of a workload with the values of its Secrets"
            .to_owned(),
        help: Some(
            "leave out `--resolve`: the names of the Secrets and keys are shown without it"
                .to_owned(),
        ),
        declared: None,
    })
}

/// Whether a filter leaves names only, or picks variables that are no secrets.
fn hides(filter: &str) -> bool {
    let lower = filter.to_lowercase();
    let picks = lower.contains("grep") && !is_secret_name(&lower) && {
        let wanted = lower
            .split_whitespace()
            .rfind(|word| !word.starts_with('-'));
        wanted.is_some_and(|word| word.len() > 2 && word != "grep")
    };
    lower.contains("cut -d= -f1") || lower.contains("cut -d '=' -f 1") || picks
}

/// Whether the name of a variable is that of a secret.
fn is_secret_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    [
        "pass",
        "secret",
        "token",
        "key",
        "credential",
        "pwd",
        "dsn",
        "database_url",
    ]
    .iter()
    .any(|word| lower.contains(word))
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
