//! Tests of `reader.rs`.

use super::*;
use crate::pipelines;

fn shown(text: &str) -> Vec<String> {
    let one = |command: &Command| {
        let words: Vec<String> = command
            .words
            .iter()
            .map(|word| match word.sense {
                Sense::Plain => word.text.clone(),
                Sense::Open => format!("~{}", word.text),
            })
            .collect();
        format!("{}:{}", command.line, words.join(" "))
    };
    let all = pipelines(text);
    all.iter()
        .map(|pipeline| {
            let commands: Vec<String> = pipeline.commands.iter().map(one).collect();
            let kept = if pipeline.output == CommandOutput::Kept {
                " >"
            } else {
                ""
            };
            format!("{}{kept}", commands.join(" | "))
        })
        .collect()
}

#[test]
fn words_pipes_and_lines_are_told_apart() {
    assert_eq!(
        shown("# why\nkubectl get pods \\\n  -n 'a b' | grep -v \"x y\" && flux check; ls # no\n"),
        [
            "1:kubectl get pods -n a b | 2:grep -v x y",
            "2:flux check",
            "2:ls"
        ]
    );
}

#[test]
fn what_stands_for_something_else_is_open() {
    assert_eq!(
        shown("kubectl get pod <pod name> -n $NS ${X} app-* \"$(date +%s)\""),
        [
            "0:date +%s >",
            "0:kubectl get pod ~<pod name> -n ~$NS ~$ ~app-* ~$"
        ]
    );
}

#[test]
fn of_a_session_only_what_was_typed_counts() {
    assert_eq!(
        shown("$ kubectl get \\\n  ns\nNAME STATUS\n$ ls\n"),
        ["0:kubectl get ns", "3:ls"]
    );
}

#[test]
fn output_that_goes_elsewhere_is_kept() {
    assert_eq!(
        shown("a > f; b 2>/dev/null; c 2>&1; d &> f; e < f"),
        ["0:a >", "0:b", "0:c", "0:d >", "0:e"]
    );
}

#[test]
fn here_documents_are_no_commands() {
    assert_eq!(
        shown("kubectl apply -f - <<EOF\nkubectl broken\nEOF\nls"),
        ["0:kubectl apply -f -", "3:ls"]
    );
}

#[test]
fn text_that_breaks_off_ends_there() {
    for text in [
        "a 'b", "a \"b", "a $(b", "a `b", "a ${b", "<", "<<", "$", "\\", "a >", "((((", "))))",
    ] {
        pipelines(text);
    }
    assert_eq!(shown("ls\na 'b"), ["0:ls"]);
}
