//! Grammars on code that people write, and on code that nobody should wait for.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use syntect::parsing::ParseState;

use super::*;

/// Something of everything, in no language at all.
const MIXTURE: &str = r#"#!/usr/bin/env x
// a comment /* another */ <!-- a third --> # and more
import { a, b as c } from "../d"; use std::fmt::{self, Write};
[section] key = "value" ; rest
<a href="x" class='y'>text &amp; {{ more | filter }}</a>
function f(x: number = 1, ...rest) { return `a ${x + 1} b`; }
def g(self, *args, **kwargs) -> str: return f"{a!r:>{width}}"
    - name: "a: b"   # c
      when: [1, 2.5e3, 0x1F, true, null]
cat <<EOF | grep -E '^(a|b)+$' > out
  heredoc $x
EOF
class A<T extends B & C> : public D { private final int x = 'c'; }
$var = @array[0..3] =~ s/a\/b/c/g;
SELECT a.*, count(*) FROM b AS a WHERE c IN (1, 2) -- d
resource "x" "y" { for_each = { for k, v in z : k => v if v != "" } }
@@ -1,2 +1,3 @@ header
+added
-removed
\begin{x} \emph{y} $z^2$ \end{x}
# Heading *with* `code` and [link](http://x.y "t")
| a | b |
|---|:-:|
```yaml
a: 1
```
"#;

/// The same code through syntect's own parser, as far as `lines` go.
fn by_syntect(loaded: &Loaded, syntax: &SyntaxReference, code: &str) -> Vec<String> {
    let mut state = ParseState::new(syntax);
    let lines = LinesWithEndings::from(code);
    let changes = lines.map(|line| state.parse_line(line, &loaded.syntaxes).unwrap());
    changes.map(|changes| format!("{changes:?}")).collect()
}

/// What our parser makes of it, up to where an expression took too long.
fn by_us(loaded: &Loaded, syntax: &SyntaxReference, code: &str) -> Vec<String> {
    let parser = Parser::new(&loaded.syntaxes, syntax, &loaded.expressions, code.len());
    let mut parser = parser.unwrap_or_else(|| panic!("{} begins nowhere", syntax.name));
    let mut all = Vec::new();
    for line in LinesWithEndings::from(code) {
        let changes = parser.line(line);
        match changes {
            Ok(changes) if !parser.is_cut() => all.push(format!("{changes:?}")),
            _ => break,
        }
    }
    all
}

/// Says whether the two agree from beginning to end.
fn assert_alike(loaded: &Loaded, syntax: &SyntaxReference, code: &str) -> bool {
    let (theirs, ours) = (
        by_syntect(loaded, syntax, code),
        by_us(loaded, syntax, code),
    );
    for (nth, line) in LinesWithEndings::from(code).enumerate().take(ours.len()) {
        assert_eq!(ours[nth], theirs[nth], "{}: {line}", syntax.name);
    }
    ours.len() == theirs.len()
}

fn syntax<'l>(loaded: &'l Loaded, token: &str) -> &'l SyntaxReference {
    find(&loaded.syntaxes, token).unwrap_or_else(|| panic!("{token}"))
}

#[test]
fn code_comes_out_as_syntect_has_it() {
    let loaded = load();
    for token in [
        "ini", "json", "markdown", "rs", "tf", "toml", "ts", "py", "html",
    ] {
        assert!(
            assert_alike(&loaded, syntax(&loaded, token), MIXTURE),
            "{token}"
        );
    }
}

#[test]
fn every_grammar_comes_out_as_syntect_has_it() {
    let loaded = load();
    for syntax in loaded.syntaxes.syntaxes() {
        if !assert_alike(&loaded, syntax, MIXTURE) {
            println!("not to the end: {}", syntax.name);
        }
    }
    let mut files = vec![Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()];
    while let Some(path) = files.pop() {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() && !matches!(name.as_str(), "target" | ".git" | "book") {
            files.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if let (Some(extension), Ok(code)) = (path.extension(), fs::read_to_string(&path)) {
            let token = extension.to_string_lossy();
            let is_usual = code.lines().all(|line| line.len() < 400) && code.len() < 20_000;
            if let Some(syntax) = find(&loaded.syntaxes, &token).filter(|_| is_usual)
                && !assert_alike(&loaded, syntax, &code)
            {
                println!("not to the end: {}", path.display());
            }
        }
    }
}

/// Lines that make expressions go back on themselves: what is repeated, and what stands before it.
fn nasty(length: usize) -> impl Iterator<Item = String> {
    let repeated = [
        " ", "\t", " \t", "\u{a0}", "(", "\"", "a", "<", "\\", "/*", "1", "ab cd ", "a-", "a.",
        "[]", ":", "~~", "$", "a::", "f(a,", "`", "''", "{", "_", "A", "- ",
    ];
    let before = ["", "a = ", "<a ", "- ", "def ", "/*"];
    let all = repeated
        .into_iter()
        .flat_map(move |one| before.map(|before| (before, one)));
    all.map(move |(before, one)| {
        let count = length / one.len();
        format!("{before}{}x!\n", one.repeat(count))
    })
}

/// How long the slowest of the nasty lines takes. Expressions are compiled before that.
fn slowest(loaded: &Loaded, syntax: &SyntaxReference, lines: &[String]) -> (Duration, String) {
    by_us(loaded, syntax, MIXTURE);
    let timed = lines.iter().map(|line| {
        let start = Instant::now();
        by_us(loaded, syntax, line);
        (start.elapsed(), line.chars().take(12).collect())
    });
    timed.max().unwrap()
}

#[test]
fn no_line_takes_long() {
    let loaded = load();
    for (token, length) in [
        ("ini", 2_000),
        ("d", 2_000),
        ("vim", 2_000),
        ("js", 200),
        ("py", 200),
        ("markdown", 200),
    ] {
        let lines = [
            format!("{}\n", " ".repeat(length)),
            format!("<a {}x!\n", " ".repeat(length)),
            format!("- {}x!\n", "A".repeat(length)),
            format!("/*{}x!\n", "\\".repeat(length)),
        ];
        let syntax = syntax(&loaded, token);
        let (took, line) = slowest(&loaded, syntax, &lines);
        // Without a limit these take from seconds to years.
        assert!(took < Duration::from_secs(10), "{token}: {line:?} {took:?}");
    }
}

/// Each grammar gets some of the nasty lines, and each line some of the grammars: all pairs would take minutes.
#[test]
fn no_line_of_any_grammar_takes_long() {
    const EACH: usize = 29;
    let loaded = load();
    let lines: Vec<String> = [300, 2_000].into_iter().flat_map(nasty).collect();
    for (nth, syntax) in loaded.syntaxes.syntaxes().iter().enumerate() {
        let some = lines.iter().skip(nth % EACH).step_by(EACH);
        let some: Vec<String> = some.cloned().collect();
        let (took, line) = slowest(&loaded, syntax, &some);
        assert!(
            took < Duration::from_secs(30),
            "{}: {line:?} {took:?}",
            syntax.name
        );
    }
}
