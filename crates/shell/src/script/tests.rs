//! Tests of `script.rs`.

use super::*;

/// The steps of a text in `apps/shop`, each as its line, directory and words; `~` marks open words.
fn shown(text: &str) -> Vec<String> {
    let steps = steps(text, "apps/shop", &|path| path.starts_with("apps"));
    let show = |step: &ScriptStep| {
        let commands = step.pipeline.commands.iter().map(|command| {
            let words = command.words.iter().map(|word| match word.sense {
                Sense::Plain => word.text.clone(),
                Sense::Open => format!("~{}", word.text),
            });
            words.collect::<Vec<_>>().join(" ")
        });
        let commands: Vec<String> = commands.collect();
        format!("{}:{}: {}", step.line, step.directory, commands.join(" | "))
    };
    steps.iter().map(show).collect()
}

#[test]
fn a_script_knows_its_own_variables() {
    let text = "ROOT=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd -P)\n\
                app=$(basename \"${ROOT}\")\n\
                name=\"blue\" # the default\n\
                own=\"gke_acme_europe_${name}\"\n\
                context=\"${CONTEXT:-${own}}\"\n\
                run --context=\"${context}\" \\\n  --namespace=\"${app}\" $OTHER '$app'\n";
    assert_eq!(
        shown(text),
        ["6:apps/shop: run --context=gke_acme_europe_blue --namespace=shop ~$OTHER $app"]
    );
}

#[test]
fn a_makefile_has_other_ways_to_say_the_same() {
    assert_eq!(
        shown("TARGET ?= prod\napply:\n\t@run $(TARGET) $(shell date)\n"),
        [
            "2:apps/shop: apply:",
            "3:apps/shop: shell date",
            "3:apps/shop: run prod ~$"
        ]
    );
}

#[test]
fn a_list_holds_the_start_of_a_command() {
    let text = "local client=(\n  run # it\n  --namespace=\"a b\"\n)\n\"${client[@]}\" apply\n";
    assert_eq!(shown(text), ["5:apps/shop: run --namespace=a b apply"]);
}

#[test]
fn commands_run_where_the_ones_before_them_went() {
    let text = "cd /apps/cart\na\n(cd ../tea && b); c $(cd /apps/x && d)\ncd missing\n\
                cd \"$WHERE\"\ne\n```\nf\n";
    assert_eq!(
        shown(&text.replace("missing", "/missing")),
        [
            "2:apps/cart: a",
            "3:apps/cart/../tea: b",
            "3:apps/x: d",
            "3:apps/cart: c ~$",
            "6:apps/cart: e",
            "8:apps/shop: f"
        ]
    );
}

#[test]
fn what_stands_before_a_command_is_left_out() {
    for line in ["- run: a", "$ a", "> a", "  @a", "- sudo a"] {
        assert_eq!(shown(line), ["1:apps/shop: a"], "{line}");
    }
    assert_eq!(shown("# a"), Vec::<String>::new());
}

#[test]
fn a_line_that_breaks_off_costs_that_line_only() {
    assert_eq!(shown("say 'a\nb"), ["2:apps/shop: b"]);
    assert_eq!(shown("list=(a\nb"), Vec::<String>::new());
}

#[test]
fn values_fill_in_so_much_and_no_more() {
    let nested: String = (0..100)
        .map(|i| format!("a{}=$a{i}$a{i}\n", i + 1))
        .collect();
    let grown = shown(&format!(
        "a0=xx\n{nested}run $a9 $a50 {}\n",
        "$a9".repeat(9_000)
    ));
    assert!(grown[0].len() < 128 * 1024, "{}", grown[0].len());
    assert!(grown[0].starts_with(&format!("102:apps/shop: run {} ~$a50", "x".repeat(1024))));
    let deep = format!("run {}a{}", "${A:-".repeat(50_000), "}".repeat(50_000));
    assert_eq!(shown(&deep), ["1:apps/shop: run ~$"]);
    let deep = format!(
        "run {}$X{}\n",
        "$(basename ".repeat(5_000),
        ")".repeat(5_000)
    );
    assert_eq!(shown(&deep.repeat(4)).len(), 4 * 5);
}
