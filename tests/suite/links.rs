//! Links, versions and looks that `catalog.toml` and the manifests determine, on pages and in `catalog show`; the site of
//! a commit.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cli::{SYNC, catalog, export, platform, repo, stderr, stdout, unit};
use crate::diff::{commit, git};
use crate::site::{Files, build, check_links, files, text};

const LINKS: &str = "url = \"https://catalog.acme.dev/\"

[[link]]
name = \"Dashboard\"
url = \"https://grafana.acme.dev/d/{namespace}?app={component}&env={environment}\"
environments = [\"prod\"]

[[link]]
name = \"Dashboard\"
url = \"https://grafana-{environment}.acme.dev/d/{namespace}?app={component}\"

[[link]]
name = \"Status\"
url = \"https://status.acme.dev/{component}\"
kinds = [\"helmrelease\"]

[[link]]
name = \"Nowhere\"
url = \"https://acme.dev/{owner}\"
";

/// A shop with an image whose tag is a variable, in two clusters.
fn shop(config: &str) -> tempfile::TempDir {
    let app = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop, namespace: a-shop}\nspec:\n  template:\n    spec:\n      containers:\n        - name: shop\n          image: acme/shop:${SHOP_VERSION}\n";
    let cluster = |name: &str, version: &str| {
        let substitute = format!("  postBuild:\n    substitute:\n      SHOP_VERSION: {version}\n");
        let flux = |file: &str| format!("clusters/{name}/{file}");
        [
            (
                flux("flux-system/gotk-sync.yaml"),
                SYNC.replace("dev", name),
            ),
            (
                flux("flux-system/kustomization.yaml"),
                "resources: [gotk-sync.yaml]\n".to_owned(),
            ),
            (flux("shop.yaml"), unit("shop", "shop", &substitute)),
        ]
    };
    let mut all: Vec<(String, String)> = Vec::new();
    all.extend(cluster("dev", "\"2.0.0\""));
    all.extend(cluster("prod", "\"1.9.0\""));
    all.push(("shop/app.yaml".to_owned(), app.to_owned()));
    all.push(("catalog.toml".to_owned(), config.to_owned()));
    let all: Vec<(&str, &str)> = all.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    repo(&all)
}

fn component<'d>(document: &'d Value, id: &str) -> &'d Value {
    let components = document["components"].as_array().unwrap();
    components.iter().find(|one| one["id"] == id).unwrap()
}

#[test]
fn links_are_filled_in_for_each_environment_with_production_first() {
    let repo = shop(LINKS);
    let document = export(repo.path());
    let links = component(&document, "shop")["links"]
        .as_array()
        .unwrap()
        .clone();
    let told: Vec<String> = links
        .iter()
        .map(|link| format!("{} {} {}", link["name"], link["url"], link["environments"]))
        .collect();
    assert_eq!(
        told,
        [
            "\"Dashboard\" \"https://grafana.acme.dev/d/a-shop?app=shop&env=prod\" [\"prod\"]",
            "\"Dashboard\" \"https://grafana-dev.acme.dev/d/a-shop?app=shop\" [\"dev\"]",
        ]
    );
    let site = build(repo.path());
    let page = text(&site, "components/shop.html");
    let head = page.split("</header>").nth(1).unwrap();
    let prod = head.find("https://grafana.acme.dev/d/a-shop?app=shop&amp;env=prod");
    let dev = head.find("https://grafana-dev.acme.dev/d/a-shop?app=shop");
    assert!(prod.unwrap() < dev.unwrap(), "{head}");
    assert!(!page.contains("Nowhere") && !page.contains("status.acme.dev"));
    assert!(text(&site, "components/shop.md").contains("[Dashboard](https://grafana.acme.dev/"));
}

#[test]
fn a_version_names_the_line_that_sets_it() {
    let repo = shop("");
    let document = export(repo.path());
    let environments = component(&document, "shop")["environments"].clone();
    let told: Vec<String> = environments
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!(
                "{} {} {}:{}",
                one["name"], one["version"], one["version_file"], one["version_line"]
            )
        })
        .collect();
    for (name, version) in [("dev", "2.0.0"), ("prod", "1.9.0")] {
        let path = format!("clusters/{name}/shop.yaml");
        let unit = fs::read_to_string(repo.path().join(&path)).unwrap();
        let line = unit
            .lines()
            .position(|line| line.contains(version))
            .unwrap()
            + 1;
        let expected = format!("\"{name}\" \"{version}\" \"{path}\":{line}");
        assert!(told.contains(&expected), "{expected} in {told:?}");
    }
}

#[test]
fn a_version_that_a_kustomization_gives_an_image_names_the_line_of_the_tag() {
    let repo = shop("");
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: till, namespace: till}\nspec: {selector: {}, template: {spec: {containers: [{name: till, image: acme/till}]}}}\n";
    let kustomization =
        "resources: [deployment.yaml]\nimages:\n  - name: acme/till\n    newTag: 4.1.0\n";
    let unit = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: till, namespace: flux-system}\nspec:\n  path: ./apps/till\n  sourceRef: {kind: GitRepository, name: flux-system}\n";
    for (path, text) in [
        ("apps/till/deployment.yaml", deployment),
        ("apps/till/kustomization.yaml", kustomization),
        ("clusters/prod/till.yaml", unit),
    ] {
        let path = repo.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let document = export(repo.path());
    let till = &component(&document, "till")["environments"][0];
    assert_eq!(till["version"], "4.1.0");
    assert_eq!(till["version_file"], "apps/till/kustomization.yaml");
    assert_eq!(till["version_line"], 4);
}

#[test]
fn a_component_is_shown_as_it_is_in_one_environment() {
    let repo = shop(LINKS);
    let run = |args: &[&str]| catalog(args, repo.path());
    let all = stdout(&run(&["show", "shop", "-q"]));
    assert!(all.starts_with("# Shop\n"), "{all}");
    assert!(all.contains("1.9.0") && all.contains("2.0.0"), "{all}");
    assert!(
        !all.contains(".md)"),
        "links lead nowhere in a terminal: {all}"
    );
    let prod = stdout(&run(&["show", "Shop", "--environment", "prod", "-q"]));
    assert!(prod.contains("1.9.0") && !prod.contains("2.0.0"), "{prod}");
    let json = stdout(&run(&[
        "show",
        "shop",
        "--environment",
        "dev",
        "--format",
        "json",
    ]));
    let json: Value = serde_json::from_str(&json).unwrap();
    let entry = component(&json, "shop");
    assert_eq!(entry["environments"].as_array().unwrap().len(), 1);
    assert_eq!(entry["version"], "2.0.0");
    assert_eq!(entry["images"], serde_json::json!(["acme/shop:2.0.0"]));
    let whole = stdout(&run(&["show", "shop", "--format", "json"]));
    let whole: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(
        component(&whole, "shop"),
        component(&export(repo.path()), "shop")
    );
    for (args, hint) in [
        (&["show", "shpo"][..], "did you mean `shop`?"),
        (
            &["show", "shop", "--environment", "prd"],
            "did you mean `prod`?",
        ),
        (
            &["show", "shop", "--environment", "x"],
            "it runs in dev, prod",
        ),
        (
            &["show", "shpo", "--environment", "prod"],
            "did you mean `shop`?",
        ),
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            stderr(&output).contains(hint),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn colour_logo_footer_and_links_need_no_copy_of_the_theme() {
    let config = "accent = \"#0b6e4f\"\nlogo = \"docs/My logo.svg\"\nfooter = \"Ask <us> & co\"\n\n[[nav]]\nname = \"Handbook\"\nurl = \"https://handbook.acme.dev/?a=1&b=2\"\n";
    let repo = shop(config);
    fs::create_dir_all(repo.path().join("docs")).unwrap();
    fs::write(repo.path().join("docs/My logo.svg"), "<svg/>").unwrap();
    fs::create_dir_all(repo.path().join("theme")).unwrap();
    fs::write(repo.path().join("theme/custom.css"), "h1 { color: teal }\n").unwrap();
    let site = build(repo.path());
    check_links(&site);
    let page = text(&site, "components/shop.html");
    assert!(page.contains("Ask &lt;us&gt; &amp; co"));
    assert!(page.contains("href=\"https://handbook.acme.dev/?a=1&amp;b=2\""));
    let logo = site
        .keys()
        .find(|path| path.starts_with("assets/My-logo-"))
        .unwrap();
    assert!(page.contains(&format!("src=\"../{logo}\"")), "{logo}");
    let style = site
        .keys()
        .find(|path| path.starts_with("assets/style-"))
        .unwrap();
    let style = text(&site, style);
    assert!(style.contains("--accent: #0b6e4f;") && style.ends_with("h1 { color: teal }\n"));

    fs::remove_file(repo.path().join("docs/My logo.svg")).unwrap();
    let output = catalog(&["build", "-o", "site"], repo.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("the logo `docs/My logo.svg`"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn language_models_get_the_contents_and_the_pages() {
    let site = build(shop(LINKS).path());
    let short = text(&site, "llms.txt");
    assert!(short.starts_with("# "), "{short}");
    assert!(
        short.contains("[Shop](https://catalog.acme.dev/components/shop.md)"),
        "{short}"
    );
    let full = text(&site, "llms-full.txt");
    let page = text(&site, "components/shop.md");
    let heading = page.lines().next().unwrap();
    assert!(full.contains(heading) && full.contains("2.0.0"), "{full}");
    let page = text(&site, "components/shop.html");
    for tag in [
        "<meta property=\"og:title\" content=\"Shop\">",
        "<meta property=\"og:url\" content=\"https://catalog.acme.dev/components/shop.html\">",
    ] {
        assert!(page.contains(tag), "{tag}");
    }
    let unknown = build(shop("").path());
    assert!(text(&unknown, "llms.txt").contains("[Shop](components/shop.md)"));
    assert!(!text(&unknown, "components/shop.html").contains("og:url"));
}

fn at(root: &Path, revision: &str) -> Files {
    let out = tempfile::tempdir().unwrap();
    let site = out.path().join("site");
    let args = [
        "build",
        "-q",
        "--at",
        revision,
        "-o",
        site.to_str().unwrap(),
    ];
    let built = catalog(&args, root);
    assert!(built.status.success(), "{}", stderr(&built));
    files(&site)
}

/// Without what names the commit and its history.
fn facts(files: &Files) -> Value {
    let mut document: Value = serde_json::from_slice(&files["service-catalog.json"]).unwrap();
    document["commit"] = Value::Null;
    document
}

#[test]
fn the_site_of_a_commit_is_that_of_its_checkout() {
    let repo = platform();
    let root = repo.path();
    git(root, &["init", "-q", "-b", "main"]);
    commit(root, "Start");
    git(root, &["tag", "v1"]);
    let before = build(root);
    let shop = root.join("clusters/dev/shop.yaml");
    let text = fs::read_to_string(&shop).unwrap();
    fs::write(&shop, text.replace("\"3\"", "\"9\"")).unwrap();
    commit(root, "Scale");
    fs::write(root.join("shop/broken.yaml"), "a: 'open\n").unwrap();
    let status = || {
        let mut git = std::process::Command::new("git");
        let output = git
            .args(["status", "--porcelain"])
            .current_dir(root)
            .output();
        output.unwrap().stdout
    };
    let dirty = status();
    let then = at(root, "v1");
    assert_eq!(status(), dirty, "the work tree is as it was");
    assert_eq!(then, before);
    assert_ne!(facts(&at(root, "HEAD")), facts(&then));
    assert_eq!(facts(&at(root, "HEAD~1")), facts(&then));
}

#[test]
#[cfg(unix)]
fn a_hostile_commit_leads_nowhere() {
    let repo = platform();
    let root = repo.path();
    let outside = tempfile::tempdir().unwrap();
    fs::write(
        outside.path().join("secret.yaml"),
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: leaked}\n",
    )
    .unwrap();
    std::os::unix::fs::symlink(outside.path(), root.join("shop/out")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", root.join("shop/passwd.yaml")).unwrap();
    std::os::unix::fs::symlink("loop", root.join("shop/loop")).unwrap();
    fs::write(root.join("shop/big.yaml"), "a: b\n".repeat(2 << 20)).unwrap();
    fs::write(root.join("shop/a\nb \"c\" \u{202e}.yaml"), "a: 1\n").unwrap();
    fs::create_dir_all(root.join("theme/static")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", root.join("theme/custom.css")).unwrap();
    git(root, &["init", "-q", "-b", "main"]);
    commit(root, "Start");
    for (path, bytes) in at(root, "HEAD") {
        let content = String::from_utf8_lossy(&bytes);
        assert!(
            !content.contains("leaked") && !content.contains("root:x:"),
            "{path}"
        );
    }
    let refused = catalog(&["build", "--at", "--output=x"], root);
    assert_eq!(refused.status.code(), Some(2));
    let unknown = catalog(&["build", "--at", "nothing"], root);
    assert!(
        stderr(&unknown).contains("`nothing`"),
        "{}",
        stderr(&unknown)
    );
}
