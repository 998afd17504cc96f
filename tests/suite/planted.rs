//! Secrets of every kind, planted in every kind of place, and looked for in all that any command writes. What authors write
//! as prose is theirs to publish, but for tokens of a well-known format.

mod places;
mod secrets;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cli::catalog;
use crate::secret::each_file;
use crate::serve::server::Server;
use places::Garden;

/// Commands that print to stdout, in every format.
const PRINTING: &[&[&str]] = &[
    &["check", "."],
    &["check", ".", "--color", "always"],
    &["check", ".", "--verbose"],
    &["check", ".", "--format", "json"],
    &["check", ".", "--format", "sarif"],
    &["check", ".", "--format", "github"],
    &["check", ".", "--format", "junit"],
    &["check", ".", "--format", "concise"],
    &["check", ".", "--format", "gitlab"],
    &["check", ".", "--statistics"],
    &["check", ".", "--diff"],
    &["export", "."],
    &["export", ".", "--format", "backstage"],
    &["graph", "."],
    &["graph", ".", "--format", "dot"],
    &["graph", ".", "--format", "json"],
    &["graph", ".", "--format", "svg"],
    &["render", "--origin"],
    &["render", "chart-joined", "--environment", "dev"],
    &["show", "places"],
    &["show", "places", "--format", "json"],
    &["rehearse", "."],
    &["rehearse", ".", "--format", "json"],
    &["rehearse", ".", "--format", "mermaid"],
    &["init", ".", "--dry-run"],
    &["init", ".", "--dry-run", "--ci", "github"],
    &["diff", "HEAD^"],
    &["diff", "HEAD^", "--format", "markdown"],
    &["diff", "HEAD^", "--objects"],
    &["diff", "HEAD^", "--format", "json"],
    &["diff", "HEAD^", "--format", "json", "--objects"],
];

/// Commands that write files.
const WRITING: &[&[&str]] = &[
    &["build", ".", "--out", "../out/site", "--verbose"],
    &["build", ".", "--at", "HEAD", "--out", "../out/then"],
    &[
        "export",
        ".",
        "--format",
        "markdown",
        "--out",
        "../out/pages",
    ],
    &[
        "export",
        ".",
        "--format",
        "markdown",
        "--links",
        "addresses",
        "--out",
        "../out/others",
    ],
    &["export", ".", "--out", "../out/service-catalog.json"],
    &["check", ".", "--write-baseline", "../out/baseline.json"],
];

#[test]
fn no_command_shows_a_planted_secret() {
    let garden = Garden::planted();
    assert!(garden.secrets.len() >= 150, "{}", garden.secrets.len());
    let around = tempfile::tempdir().unwrap();
    let repo = around.path().join("repo");
    fs::create_dir_all(around.path().join("out")).unwrap();
    git(around.path(), &["init", "--quiet", "repo"]);
    fs::write(repo.join("README.md"), "# Garden\n").unwrap();
    commit(&repo, "Begin");
    for (path, text) in &garden.files {
        let path = repo.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    commit(&repo, &garden.subject);

    let needles: HashMap<[u8; 12], &str> = garden
        .secrets
        .iter()
        .map(|planted| (planted.needle, planted.what.as_str()))
        .collect();
    assert_eq!(needles.len(), garden.secrets.len());
    let mut leaks: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut look = |name: String, bytes: &[u8]| {
        let is_escaped = bytes.contains(&b'%');
        let unescaped = is_escaped.then(|| unescaped(bytes));
        for text in [Some(bytes.to_vec()), unescaped, Some(decoded(bytes))]
            .into_iter()
            .flatten()
        {
            for part in text.to_ascii_lowercase().array_windows::<12>() {
                if let Some(what) = needles.get(part) {
                    leaks.entry(what).or_default().insert(name.clone());
                }
            }
        }
    };
    for args in WRITING.iter().chain(PRINTING) {
        let output = catalog(args, &repo);
        let code = output.status.code();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(code, Some(0 | 1)), "{args:?}: {stderr}");
        look(args.join(" "), &output.stdout);
        look(args.join(" "), &output.stderr);
    }
    let mut files = 0;
    each_file(&around.path().join("out"), &mut |path, bytes| {
        files += 1;
        let path = path.strip_prefix(around.path()).unwrap();
        let path = path.display().to_string();
        look(format!("the name of {path}"), path.as_bytes());
        look(path, bytes);
    });
    assert!(files > 100, "{files}");
    let site = around.path().join("out/site");
    let mut paths = vec!["nothing-here".to_owned()];
    each_file(&site, &mut |path, _| {
        let path = path.strip_prefix(&site).unwrap().display();
        paths.push(path.to_string());
    });
    let server = Server::start(&repo);
    for (path, response) in server.get_all(paths.iter().map(String::as_str)) {
        look(format!("serve {path}"), &response.body);
    }
    look(
        "serve".to_owned(),
        server.running.said.join("\n").as_bytes(),
    );
    let shown = leaks.iter().map(|(what, where_)| {
        let first: Vec<&str> = where_.iter().map(String::as_str).take(2).collect();
        format!("{what}: {} places, {first:?}", where_.len())
    });
    let shown: Vec<String> = shown.collect();
    assert!(
        leaks.is_empty(),
        "{} of {} leak:\n{}",
        leaks.len(),
        garden.secrets.len(),
        shown.join("\n")
    );
    // What stands beside the secrets is shown, so that nothing is hidden by leaving all of it out.
    let document = fs::read_to_string(around.path().join("out/service-catalog.json")).unwrap();
    for open in &garden.open {
        assert!(document.contains(open), "{open} is not shown");
    }
}

/// The bytes of a text in which some are percent-encoded.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    let mut text = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let encoded = digit(at + 1).zip(digit(at + 2));
        match encoded.filter(|_| bytes[at] == b'%') {
            Some((high, low)) => {
                text.push((high * 16 + low) as u8);
                at += 3;
            }
            None => {
                text.push(bytes[at]);
                at += 1;
            }
        }
    }
    text
}

/// What every run of letters and digits means as base64.
fn decoded(bytes: &[u8]) -> Vec<u8> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let runs = bytes
        .split(|byte| !is_part(byte))
        .filter(|run| run.len() >= 16);
    let mut text = Vec::new();
    for run in runs {
        let run = &run[..run.len() / 4 * 4];
        let run = std::str::from_utf8(run).unwrap();
        text.extend(yaml::decode_base64(run).unwrap_or_default());
        text.push(b' ');
    }
    text
}

#[test]
fn what_is_encoded_is_looked_for() {
    assert_eq!(unescaped(b"a%2Fb%zz%"), b"a/b%zz%");
    let text = format!("x: {}", yaml::encode_base64(b"hunterQ0001z"));
    assert_eq!(decoded(text.as_bytes()), b"hunterQ0001z ");
}

/// A new command joins by being listed: here if it prints nothing of a repository, else above.
#[test]
fn every_command_is_looked_at() {
    const SILENT: &[&str] = &["completions", "explain", "fetch", "help", "man", "serve"];
    let help = catalog(&["--help"], Path::new("."));
    let help = String::from_utf8(help.stdout).unwrap();
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| line.starts_with("  "));
    let names: Vec<&str> = commands
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(names.len() > 8, "{names:?}");
    for name in names {
        let mut all = WRITING.iter().chain(PRINTING);
        assert!(
            SILENT.contains(&name) || all.any(|args| args[0] == name),
            "`{name}` is not looked at"
        );
    }
}

fn git(directory: &Path, args: &[&str]) {
    let fixed = [
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.com",
        "-c",
        "commit.gpgsign=false",
    ];
    let output = Command::new("git")
        .args(fixed)
        .args(args)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn commit(repo: &Path, subject: &str) {
    git(repo, &["add", "--all", "--force"]);
    git(repo, &["commit", "--quiet", "--message", subject]);
}
