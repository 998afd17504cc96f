//! The worked example in `content/`, told component by component, against what it should say.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use base::FileId;
use markdown::Html;
use markdown::highlight::Highlighter;
use markdown::{Context, Figures, LinkTarget, Page, Section, render};

use crate::cli::export;

fn content() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("content")
}

#[test]
fn the_example_is_read_as_it_is_meant() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let told = tell(&export(&content()));
    let golden = root.join("tests/golden/example.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &told).unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap();
    let difference = expected
        .lines()
        .zip(told.lines())
        .find(|(want, got)| want != got);
    assert_eq!(
        difference, None,
        "run the tests once with UPDATE_GOLDEN=1 and read the difference"
    );
    assert_eq!(expected.lines().count(), told.lines().count());
}

fn tell(document: &Value) -> String {
    let mut text = String::new();
    for component in document["components"].as_array().unwrap() {
        let field = |key: &str| component[key].as_str().unwrap_or("-").to_owned();
        let _ = writeln!(
            text,
            "{}: {} ({}) in {}; {}; {}; {}; {}",
            field("id"),
            field("title"),
            field("kind"),
            field("namespace"),
            field("layer"),
            field("owner"),
            field("status"),
            field("source"),
        );
        for environment in component["environments"].as_array().unwrap() {
            let version = environment["version"].as_str().unwrap_or("-");
            let _ = writeln!(
                text,
                "  {} {} {version}",
                environment["name"], environment["status"]
            );
        }
        for edge in component["upstream"].as_array().unwrap() {
            let place = format!("{}:{}", edge["file"].as_str().unwrap(), edge["line"]);
            let _ = writeln!(text, "  {} {} ({place})", edge["reason"], edge["id"]);
        }
        for url in component["urls"].as_array().unwrap() {
            let _ = writeln!(text, "  {url}");
        }
        for setting in component["settings"].as_array().unwrap() {
            let values = setting["values"].as_object().unwrap().iter();
            let values: Vec<String> = values
                .map(|(name, value)| format!("{name} {}", value["value"]))
                .collect();
            let _ = writeln!(
                text,
                "  {} = {}",
                setting["name"].as_str().unwrap(),
                values.join(", ")
            );
        }
    }
    for finding in document["findings"].as_array().unwrap() {
        let _ = writeln!(
            text,
            "{} {} {}:{}",
            finding["severity"], finding["rule"], finding["file"], finding["line"]
        );
    }
    text
}

#[test]
fn only_dev_has_localstack_and_waits_for_it() {
    let document = export(&content());
    let depends_on = |cluster: &str, unit: &str| -> Option<Vec<String>> {
        let clusters = document["clusters"].as_array().unwrap();
        let cluster = clusters.iter().find(|one| one["name"] == cluster)?;
        let mut units = cluster["units"].as_array()?.iter();
        let unit = units.find(|one| one["name"] == unit && one["kind"] == "Kustomization")?;
        let names = unit["depends_on"].as_array()?.iter();
        Some(
            names
                .map(|on| on["name"].as_str().unwrap().to_owned())
                .collect(),
        )
    };
    assert_eq!(depends_on("dev", "localstack"), Some(vec![]));
    assert_eq!(depends_on("prod", "localstack"), None);
    let operator = "external-secrets-operator";
    assert_eq!(
        depends_on("dev", operator),
        Some(vec!["localstack".to_owned()])
    );
    assert_eq!(depends_on("prod", operator), Some(vec![]));
}

#[test]
fn dev_makes_every_secret_that_a_component_asks_for() {
    let mut asked = BTreeSet::new();
    for (_, text) in files("yaml") {
        let keys = text.lines().filter_map(|line| {
            let key = line.trim().strip_prefix("key: meridian/${ENVIRONMENT}/")?;
            Some(key.to_owned())
        });
        asked.extend(keys);
    }
    let script = fs::read_to_string(content().join("apps/foundation/localstack/seed.sh")).unwrap();
    let made: BTreeSet<String> = script
        .lines()
        .filter_map(|line| {
            let rest = line.strip_prefix("login ").or(line.strip_prefix("put "))?;
            Some(rest.split(' ').next()?.to_owned())
        })
        .collect();
    assert_eq!(made, asked);
    assert!(asked.len() > 5);
}

#[test]
fn every_link_of_the_example_leads_somewhere() {
    let pages = pages();
    let mut broken = Vec::new();
    let mut checked = 0;
    for (path, page) in &pages {
        for link in &page.links {
            if link.target.contains("://") {
                continue;
            }
            checked += 1;
            let (file, anchor) = link.target.split_once('#').unwrap_or((&link.target, ""));
            let target = match file {
                "" => path.clone(),
                file => normal(&path.parent().unwrap().join(file)),
            };
            let found = content().join(&target).exists()
                && (anchor.is_empty()
                    || pages.get(&target).is_some_and(|page| has_id(page, anchor)));
            if !found {
                broken.push(format!("{}:{}: {}", path.display(), link.line, link.target));
            }
        }
    }
    assert_eq!(broken, [""; 0]);
    assert!(checked > 100, "{checked}");
}

#[test]
fn every_line_that_the_hazards_name_is_there() {
    let text = fs::read_to_string(content().join("HAZARDS.md")).unwrap();
    let mut checked = 0;
    for place in text.split('`').skip(1).step_by(2) {
        let Some((file, line)) = place.rsplit_once(':') else {
            continue;
        };
        let Ok(line) = line.parse::<usize>() else {
            continue;
        };
        let text = fs::read_to_string(content().join(file)).expect(place);
        let text = text.lines().nth(line - 1).expect(place);
        assert!(!text.trim().is_empty(), "{place} is empty");
        checked += 1;
    }
    assert!(checked > 25, "{checked}");
}

#[test]
fn most_components_say_what_they_are_for() {
    let pages = pages();
    let document = export(&content());
    let mut documented = Vec::new();
    let mut by_front_matter = Vec::new();
    for component in document["components"].as_array().unwrap() {
        let id = component["id"].as_str().unwrap();
        let source = component["source"].as_str().unwrap_or_default();
        let readme = pages.get(&Path::new(source).join("README.md"));
        let claims = |page: &&Page| page.front_matter.component.iter().any(|name| name == id);
        let Some(page) = readme.or(pages.values().find(claims)) else {
            continue;
        };
        if readme.is_none() {
            by_front_matter.push(id);
        }
        assert_eq!(page.title.as_deref(), component["title"].as_str());
        assert!(!page.lead.as_str().is_empty(), "{id} has no summary");
        assert!(section(page, "Purpose").is_some(), "{id} has no purpose");
        documented.push(id);
    }
    assert!(documented.len() >= 10, "{documented:?}");
    assert_eq!(by_front_matter, ["cloudnative-pg"]);
}

#[test]
fn the_page_of_the_operator_has_something_in_every_section() {
    let pages = pages();
    let page = &pages[Path::new("apps/foundation/external-secrets-operator/README.md")];
    assert_eq!(page.title.as_deref(), Some("External Secrets Operator"));
    assert!(page.lead.as_str().matches("<p>").count() >= 3);
    let titles: Vec<&str> = page
        .sections
        .iter()
        .filter(|section| section.level == 2)
        .map(|section| section.title.as_str())
        .collect();
    assert_eq!(
        titles,
        ["Purpose", "Features", "Architecture", "Operations"]
    );

    let rows = section(page, "Features").unwrap().markdown.lines();
    assert!(rows.filter(|line| line.starts_with("| ")).count() > 5);
    let kinds: Vec<&str> = page
        .mermaid
        .iter()
        .filter_map(|block| block.source.split_whitespace().next())
        .collect();
    assert_eq!(kinds, ["flowchart", "sequenceDiagram"]);

    let operations = &section(page, "Operations").unwrap().markdown;
    let entries: Vec<&str> = operations.split("\n### ").skip(1).collect();
    assert!(entries.len() >= 5, "{}", entries.len());
    for entry in entries {
        let title = entry.lines().next().unwrap();
        assert!(entry.contains("\n**Symptoms:** "), "{title}");
        assert!(entry.contains("\n```bash\n# "), "{title}");
    }
}

/// The files with this extension, hidden directories included.
fn files(extension: &str) -> BTreeMap<PathBuf, String> {
    fn walk(directory: &Path, extension: &str, found: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, extension, found);
            } else if path.extension().is_some_and(|own| own == extension) {
                let name = path.strip_prefix(content()).unwrap().to_path_buf();
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&content(), extension, &mut found);
    found
}

fn pages() -> BTreeMap<PathBuf, Page> {
    let code = Highlighter::new();
    let context = Context {
        file: FileId(0),
        link: &|_| LinkTarget::Keep,
        markdown_href: &str::to_owned,
        heading_prefix: "",
    };
    let figures = Figures {
        code: &code,
        mermaid: &|_| Ok(Html::default()),
    };
    let files = files("md").into_iter();
    files
        .map(|(path, text)| {
            let (page, findings) = render(&text, &context, &figures);
            assert_eq!(findings, [], "{}", path.display());
            (path, page)
        })
        .collect()
}

fn section<'p>(page: &'p Page, title: &str) -> Option<&'p Section> {
    page.sections.iter().find(|section| section.title == title)
}

fn has_id(page: &Page, id: &str) -> bool {
    let attribute = format!("id=\"{id}\"");
    let mut sections = page.sections.iter();
    sections.any(|section| section.id == id || section.html.as_str().contains(&attribute))
}

/// Without `.` and `..`, as nothing in the example is a symbolic link.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}
