//! Targets of the engines: each takes any text, and checks what the engine promises of it.

use std::sync::{Arc, LazyLock};

use base::{FileId, Files, Finding, Place, RepoPath};
use markdown::highlight::Highlighter;
use yaml::Node;

/// Names of targets, and what they run.
pub const TARGETS: &[(&str, fn(&str))] = &[
    ("yaml", read_yaml),
    ("template", run_template),
    ("chart", render_chart),
    ("redaction", redact),
    ("highlight", highlight),
    ("markdown", render_markdown),
    ("mermaid", draw_mermaid),
    ("hcl", evaluate_hcl),
    ("typescript", evaluate_typescript),
    ("shell", read_shell),
    ("address", read_address),
];

fn read_yaml(text: &str) {
    let parsed = yaml::parse(text, FileId(0));
    for document in &parsed.documents {
        drop(yaml::to_json(&document.root));
        assert!(document.root.same(&document.root.clone()));
    }
}

fn run_template(text: &str) {
    let mut library = helm::Library::default();
    let _ = library.add("{{ define \"x\" }}a{{ . }}{{ end }}");
    let root = yaml::parse("a: 1\nb: [x, {c: d}]\nn: null\n", FileId(0));
    let Some(document) = root.documents.first() else {
        return;
    };
    let value = helm::Value::from_node(&document.root);
    let _ = helm::run(text, &library, &value, helm::Missing::Zero);
    let _ = helm::run(text, &library, &value, helm::Missing::Fault);
}

/// The text up to a line of dashes is the template, the rest the values.
fn render_chart(text: &str) {
    let (template, values) = text
        .split_once("\n---\n")
        .unwrap_or((text, "a: {b: [1, x]}\n"));
    let chart = "apiVersion: v2\nname: fuzz\nversion: 0.1.0\n";
    let files = vec![
        helm::PackageFile::new("Chart.yaml", chart.as_bytes()),
        helm::PackageFile::new("values.yaml", values.as_bytes()),
        helm::PackageFile::new("templates/a.yaml", template.as_bytes()),
    ];
    let Ok(package) = helm::Package::from_directory(files) else {
        return;
    };
    let release = helm::ChartRelease {
        name: "r".into(),
        namespace: "n".into(),
        flavour: helm::Flavour::Helm3,
    };
    let capabilities = helm::Capabilities::offline(helm::Flavour::Helm3);
    helm::render(
        &Arc::new(package),
        &helm::Data::map(),
        &release,
        &capabilities,
    );
}

const TOKEN: &str = "ghp_a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B8";

fn redact(text: &str) {
    let parts = secret::look::parts(text);
    let mut end = 0;
    for part in &parts {
        assert!(part.range.start >= end && part.range.end <= text.len());
        end = part.range.end;
    }
    drop(secret::look::published(text));
    for name in ["password", "a", text.get(..20).unwrap_or("url")] {
        drop(secret::shown(name, text));
        let _ = secret::is_plain_password(name, text);
    }
    for mut document in yaml::parse(text, FileId(0)).documents {
        secret::seal(&mut document.root);
    }
    // Whatever stands around it, a token does not leave the program.
    let around = format!("{text} {TOKEN} {text}");
    assert!(!secret::outgoing::line(around.clone()).contains(TOKEN));
    assert!(!secret::look::published(&around).contains(TOKEN));
    assert!(
        secret::look::parts(&around)
            .iter()
            .any(|part| around[part.range.clone()].contains("c3D4e5"))
    );
}

static HIGHLIGHTER: LazyLock<Highlighter> = LazyLock::new(Highlighter::new);

/// The first line is the language.
fn highlight(text: &str) {
    let (language, code) = text.split_once('\n').unwrap_or(("yaml", text));
    let html = HIGHLIGHTER.highlight(code, language);
    // Some scanners keep carriage returns, and some grammars see lines without them.
    let kept = visible(html.as_str()).replace('\r', "");
    assert_eq!(kept, code.replace('\r', ""), "the text changes");
}

/// The text of markup that has no elements but spans.
fn visible(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text += &rest[..at];
        rest = rest[at..].split_once('>').map_or("", |(_, rest)| rest);
    }
    text += rest;
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#x27;", "'")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

fn render_markdown(text: &str) {
    let link = |href: &str| match href.len() % 4 {
        0 => markdown::LinkTarget::Keep,
        1 => markdown::LinkTarget::Href(format!("/{}", href.len())),
        2 => markdown::LinkTarget::Elsewhere,
        _ => markdown::LinkTarget::Broken,
    };
    let context = markdown::Context {
        file: FileId(0),
        link: &link,
        markdown_href: &|href| href.to_owned(),
        heading_prefix: "p-",
    };
    let figures = markdown::Figures {
        code: &HIGHLIGHTER,
        mermaid: &|source| {
            diagram::parse(source).map(|drawn| markdown::Html::trusted(drawn.markup("d")))
        },
    };
    let (page, _) = markdown::render(text, &context, &figures);
    let (contents, _) = markdown::contents(text, &context);
    drop((
        page,
        contents,
        markdown::front_matter(text),
        markdown::blocks(text),
    ));
}

fn draw_mermaid(text: &str) {
    if let Ok(drawn) = diagram::parse(text) {
        let markup = drawn.markup("d");
        let lower = markup.to_ascii_lowercase();
        assert!(
            !lower.contains("<script") && !lower.contains("=\"javascript:"),
            "{markup}"
        );
    }
}

/// Files in memory, in the order of their paths.
struct Memory(Vec<(RepoPath, String)>);

impl Memory {
    fn new(files: &[(&str, &str)]) -> Memory {
        let path = |path: &str| RepoPath::new(path).expect("it is a path");
        let files = files
            .iter()
            .map(|(name, text)| (path(name), (*text).to_owned()));
        let mut files: Vec<_> = files.collect();
        files.sort();
        Memory(files)
    }
}

impl Files for Memory {
    fn path(&self, file: FileId) -> &RepoPath {
        &self.0[file.0 as usize].0
    }

    fn file(&self, path: &RepoPath) -> Option<FileId> {
        let at = self.0.iter().position(|(name, _)| name == path)?;
        Some(FileId(at as u32))
    }

    fn is_dir(&self, path: &RepoPath) -> bool {
        !self.below(path).is_empty()
    }

    fn resolve_dir(&self, path: &RepoPath) -> Option<RepoPath> {
        self.is_dir(path).then(|| path.clone())
    }

    fn below(&self, directory: &RepoPath) -> Vec<FileId> {
        let files = (0..self.0.len() as u32).map(FileId);
        files
            .filter(|file| self.path(*file).is_below(directory))
            .collect()
    }

    fn has_unread(&self, _path: &RepoPath) -> bool {
        false
    }

    fn read_text(&self, file: FileId) -> Result<String, Finding> {
        Ok(self.0[file.0 as usize].1.clone())
    }
}

impl terraform::Documents for Memory {
    fn files(&self) -> &dyn Files {
        self
    }

    fn documents(&self, _file: FileId) -> Vec<Arc<Node>> {
        Vec::new()
    }

    fn objects(&self, _file: FileId) -> Vec<Arc<Node>> {
        Vec::new()
    }
}

impl pulumi::DataFiles for Memory {
    fn document(&self, _file: FileId) -> Option<&Node> {
        None
    }
}

fn evaluate_hcl(text: &str) {
    let module = "variable \"name\" {}\noutput \"title\" {\n  value = \"app ${var.name}\"\n}\n";
    let files = Memory::new(&[("main.tf", text), ("modules/app/main.tf", module)]);
    let modules = terraform::Modules::read(&files);
    for root in modules.roots(&files) {
        let mut run = terraform::ModuleRun::new(&modules, &files, root);
        let scope = run.root();
        for name in ["a", "b", "name"] {
            drop(run.variable(scope, name).written());
        }
    }
    drop(terraform::plain_secrets(&files));
}

fn evaluate_typescript(text: &str) {
    let files = Memory::new(&[("index.ts", text), ("other.ts", "export const a = 1;\n")]);
    let name = "fuzz".into();
    let root = RepoPath::root();
    let project = pulumi::Project {
        name: &name,
        place: Place::default(),
        root: &root,
        main: None,
        secret_keys: Default::default(),
        stacks: vec![pulumi::Stack {
            name: None,
            file: None,
            config: Default::default(),
        }],
    };
    let evaluated = pulumi::evaluate(&project, &files, &files, |evaluation| {
        evaluation.resources().len()
    });
    drop(evaluated);
}

fn read_shell(text: &str) {
    for pipeline in shell::pipelines(text) {
        drop(pipeline);
    }
    drop(shell::steps(text, "", &|path| path.len() % 2 == 0));
    let quoted = shell::quote(text);
    let words: Vec<String> = shell::pipelines(&format!("run {quoted}"))
        .iter()
        .flat_map(|pipeline| &pipeline.commands)
        .flat_map(|command| &command.words)
        .map(|word| word.text.to_string())
        .collect();
    if !text.is_empty() && !text.contains('\0') {
        assert_eq!(words, ["run", text], "{quoted}");
    }
}

/// What the server does to the address of a request.
fn read_address(text: &str) {
    if base::uri::is_well_formed(text) {
        drop(base::uri::decoded(text));
    }
    let _ = base::uri::host(text);
    let mut link = String::new();
    base::uri::push_link(&mut link, text);
    assert!(!link.contains(['"', '<', '>', ' ']), "{link}");
    drop(base::uri::path(text));
    if let Some(path) = RepoPath::new("a/b").and_then(|path| path.join(text)) {
        assert!(!path.as_str().split('/').any(|name| name == ".."), "{path}");
    }
}
