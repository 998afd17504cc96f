//! What code looks like in colours.

use proptest::prelude::*;

use super::*;

fn html(code: &str, language: &str) -> String {
    Highlighter::new().highlight(code, language).into_string()
}

/// The text that a reader sees.
fn shown(html: &str) -> String {
    let mut text = String::new();
    for (at, part) in html.split('<').enumerate() {
        text.push_str(match at {
            0 => part,
            _ => part.split_once('>').unwrap().1,
        });
    }
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[test]
fn yaml_has_keys_strings_numbers_and_comments() {
    assert_eq!(
        html("replicas: 2 # two\nname: \"a b\"\nwait: true\n", "yaml"),
        "<i class=a>replicas</i>: <i class=n>2</i> <i class=c># two</i>\n<i class=a>name</i>: \
         <i class=s>\"a b\"</i>\n<i class=a>wait</i>: <i class=n>true</i>\n"
    );
}

#[test]
fn yaml_urls_and_versions_are_not_keys_or_numbers() {
    assert_eq!(
        html("url: https://x.y/z#a\nversion: 1.2.3\n", "yaml"),
        "<i class=a>url</i>: https://x.y/z#a\n<i class=a>version</i>: 1.2.3\n"
    );
}

#[test]
fn yaml_variables_stand_out_also_in_strings() {
    assert_eq!(
        html("path: ./${CLUSTER}/app\nhost: \"a.${D}\"\n", "yaml"),
        "<i class=a>path</i>: ./<i class=v>${CLUSTER}</i>/app\n<i class=a>host</i>: \
         <i class=s>\"a.</i><i class=v>${D}</i><i class=s>\"</i>\n"
    );
}

#[test]
fn a_yaml_block_scalar_is_a_string_until_its_indentation_ends() {
    assert_eq!(
        html("a: |\n  key: x\n\n  # no\nb: 1\n", "yaml"),
        "<i class=a>a</i>: <i class=k>|</i>\n  <i class=s>key: x\n\n  # no</i>\n<i class=a>b</i>: \
         <i class=n>1</i>\n"
    );
}

#[test]
fn a_block_scalar_in_a_sequence_ends_at_the_next_key() {
    let html = html("- a: |\n    text\n  b: 1\n", "yaml");
    assert!(html.contains("<i class=s>text</i>"), "{html}");
    assert!(html.contains("<i class=a>b</i>"), "{html}");
}

#[test]
fn yaml_flow_collections_anchors_and_tags_are_seen() {
    assert_eq!(
        html("a: &x {b: [1, two], \"c\": !t *x}\n", "yaml"),
        "<i class=a>a</i>: <i class=v>&amp;x</i> {<i class=a>b</i>: [<i class=n>1</i>, two], \
         <i class=a>\"c\"</i>: <i class=t>!t</i> <i class=v>*x</i>}\n"
    );
}

#[test]
fn shell_has_commands_flags_strings_variables_and_pipes() {
    assert_eq!(
        html(
            "kubectl -n flux-system get pods --watch=true | grep -v \"$X\" # all\n",
            "bash"
        ),
        "<i class=f>kubectl</i> <i class=a>-n</i> flux-system get pods <i class=a>--watch</i>=true \
         <i class=k>|</i> <i class=f>grep</i> <i class=a>-v</i> <i class=s>\"</i><i class=v>$X</i>\
         <i class=s>\"</i> <i class=c># all</i>\n"
    );
}

#[test]
fn a_placeholder_is_not_a_redirection() {
    assert_eq!(
        html("kubectl get pod <name> > out", "sh"),
        "<i class=f>kubectl</i> get pod <i class=v>&lt;name&gt;</i> <i class=k>&gt;</i> out"
    );
}

#[test]
fn a_session_tells_commands_from_what_they_print() {
    assert_eq!(
        html("$ flux get ks\nNAME READY\n", "console"),
        "<i class=g>$</i> <i class=f>flux</i> get ks\nNAME READY\n"
    );
}

#[test]
fn a_command_goes_on_behind_a_backslash() {
    let html = html("helm install x \\\n  --set a=b\n", "bash");
    assert!(html.contains("<i class=a>--set</i> a=b"), "{html}");
}

#[test]
fn a_here_document_is_a_string() {
    let html = html("cat <<'EOF' > f\nkubectl get\nEOF\necho x\n", "bash");
    assert!(html.contains("<i class=s>kubectl get\nEOF</i>"), "{html}");
    assert!(html.contains("<i class=f>echo</i>"), "{html}");
}

#[test]
fn every_language_that_the_pages_use_has_colours() {
    let highlighter = Highlighter::new();
    for (language, code, expected) in [
        (
            "typescript",
            "const x: string = \"a\";",
            "<i class=s>\"a\"</i>",
        ),
        ("ts", "// c\n", "<i class=c>// c</i>"),
        (
            "hcl",
            "resource \"a\" \"b\" {\n  n = 1\n}\n",
            "<i class=n>1</i>",
        ),
        ("terraform", "# c\n", "<i class=c># c</i>"),
        ("toml", "[a]\nb = \"c\"\n", "<i class=s>\"c\"</i>"),
        (
            "json",
            "{\"a\": 1}",
            "<i class=a>\"a\"</i>: <i class=n>1</i>",
        ),
        ("dockerfile", "FROM rust:1\n", "<i class=k>FROM</i>"),
        ("rust", "fn main() {}\n", "<i class=f>main</i>"),
        ("go", "package main\n", "<i class=k>package</i>"),
        ("python", "def f(): pass\n", "<i class=f>f</i>"),
        ("diff", "-a\n+b\n", "<i class=d>-a</i>\n<i class=i>+b</i>"),
        ("ini", "[a]\nb=c\n; d\n", "<i class=c>; d</i>"),
        ("env", "# c\nA=b\n", "<i class=c># c</i>"),
        ("javascript", "let a = 1", "<i class=n>1</i>"),
        ("sql", "select 1", "<i class=k>select</i>"),
        ("html", "<b>x</b>", "<i class=t>b</i>"),
        ("markdown", "# A\n", "<i class="),
    ] {
        let html = highlighter.highlight(code, language).into_string();
        assert!(html.contains(expected), "{language}: {html}");
        assert_eq!(shown(&html), code, "{language}");
    }
}

#[test]
fn an_unknown_language_is_plain_text() {
    assert_eq!(html("<a> & b", "no-such-language"), "&lt;a&gt; &amp; b");
    assert_eq!(html("<a> & b", ""), "&lt;a&gt; &amp; b");
}

#[test]
fn code_that_is_too_long_is_plain_text() {
    let line = format!("a: \"{}\"\n", "x".repeat(MAX_LINE_BYTES));
    assert_eq!(html(&line, "yaml"), line);
    let long = "a: 1\n".repeat(MAX_CODE_BYTES / 5 + 1);
    assert_eq!(html(&long, "yaml"), long);
}

#[test]
fn the_same_code_in_another_language_is_not_mixed_up() {
    let highlighter = Highlighter::new();
    let python = highlighter.highlight("# a\n", "python");
    let rust = highlighter.highlight("# a\n", "rust");
    assert_ne!(python, rust);
    assert_eq!(python, highlighter.highlight("# a\n", "python"));
}

#[test]
fn what_is_kept_is_told_apart_by_language_and_code() {
    let highlighter = Highlighter::new();
    highlighter.highlight("\0\0a", "d");
    assert!(
        highlighter
            .highlight("\0a", "d\0")
            .as_str()
            .ends_with("\0a")
    );
    assert!(
        !highlighter
            .highlight("\0a", "d\0")
            .as_str()
            .contains("\0\0")
    );
}

#[test]
fn a_highlighter_can_be_shared_between_threads() {
    fn is_shared<T: Send + Sync>(_: &T) {}
    is_shared(&Highlighter::new());
}

/// What `work` gives, unless it takes so long that it must be called a hang.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(work()));
    let done = receive.recv_timeout(std::time::Duration::from_secs(20));
    done.expect("it should have ended long ago")
}

/// Blanks that are none to YAML, and what else comes along when text is pasted from a web page.
const ODD: &[&str] = &[
    "\u{a0}", "\u{2003}", "\u{3000}", "\u{feff}", "\u{85}", "\u{2028}", "\u{b}", "\u{c}", "\0",
    "\r", "\u{200b}", "\u{1c}",
];

#[test]
fn blanks_of_other_alphabets_do_not_stop_a_scanner() {
    for odd in ODD {
        for around in [
            "a: ~b\n",
            "~",
            "a:~\n",
            "~a: 1\n~",
            "- ~\n",
            "{a: ~, b~}",
            "a: |~\n~x\n",
            "$ ~\n~",
            "---~\n",
            "a <<~\n",
            "\"~",
            "&~ *~ !~",
            "${~",
        ] {
            let code = around.replace('~', odd);
            for language in ["yaml", "bash", "console", "ini"] {
                let own = code.clone();
                let html = in_time(move || html(&own, language));
                assert_eq!(shown(&html), code, "{language}");
            }
        }
    }
}

proptest! {
    #[test]
    fn scanners_end_and_show_every_character_of_any_text(
        pieces in proptest::collection::vec(prop_oneof![
            proptest::sample::select(ODD).prop_map(str::to_owned),
            "[ a-z0-9:#\"'|>&*!{}\\[\\],$<()\\\\`=-]",
            proptest::sample::select(&["\n", "\r\n", "\t", "é", "𝄞", "- ", ": ", "<<E", "${", "$ ", "u@h$ ", "---", "{{"][..]).prop_map(str::to_owned),
        ], 0..60),
    ) {
        let code: String = pieces.concat();
        for language in ["yaml", "bash", "console"] {
            let own = code.clone();
            let html = in_time(move || html(&own, language));
            prop_assert_eq!(shown(&html), code.clone());
        }
    }

    #[test]
    fn scanners_show_every_character(code in "([ a-z0-9:#\"'|>&*!{}\\[\\],$<()\\\\`=-]|\n|\r\n|\t|é|- |<<E|\\$\\{)*") {
        for language in ["yaml", "bash", "console"] {
            let html = html(&code, language);
            prop_assert_eq!(shown(&html), code.clone());
        }
    }
}
