//! Runs of small modules, from files in memory to values.

use std::sync::Arc;

use base::{FileId, Files, Finding, RepoPath};
use yaml::Node;

use crate::{
    BlockAddress, Documents, HclValue, Instances, ModuleRun, ModuleSource, Modules, Reason,
    plain_secrets,
};

/// Files by path, in the order of their paths.
struct Tree(Vec<(RepoPath, String)>);

impl Tree {
    fn new(files: &[(&str, &str)]) -> Tree {
        let path = |path: &str| RepoPath::new(path).unwrap();
        let mut files: Vec<(RepoPath, String)> = files
            .iter()
            .map(|(name, text)| (path(name), (*text).to_owned()))
            .collect();
        files.sort();
        Tree(files)
    }
}

impl Files for Tree {
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

impl Documents for Tree {
    fn files(&self) -> &dyn Files {
        self
    }

    fn documents(&self, file: FileId) -> Vec<Arc<Node>> {
        let parsed = yaml::parse(&self.0[file.0 as usize].1, file);
        let documents = parsed.documents.into_iter();
        documents
            .map(|document| {
                let mut root = document.root;
                secret::seal(&mut root);
                Arc::new(root)
            })
            .collect()
    }

    fn objects(&self, file: FileId) -> Vec<Arc<Node>> {
        let mut documents = self.documents(file);
        documents.retain(|document| document.get("kind").is_some());
        documents
    }
}

/// The locals of the only root module, as they would be written.
fn locals(files: &[(&str, &str)], names: &[&str]) -> Vec<Option<String>> {
    with_run(files, |run| {
        let values = names.iter().map(|name| run.local(run.root(), name));
        values
            .map(|value| value.written().map(|text| text.to_string()))
            .collect()
    })
}

fn with_run<T>(files: &[(&str, &str)], look: impl FnOnce(&mut ModuleRun<'_>) -> T) -> T {
    let tree = Tree::new(files);
    let modules = Modules::read(&tree);
    assert_eq!(modules.findings, []);
    let roots = modules.roots(&tree);
    assert_eq!(roots.len(), 1);
    look(&mut ModuleRun::new(&modules, &tree, roots[0]))
}

fn known(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_local_comes_to_what_variables_functions_and_loops_make_of_it() {
    let main = r#"
variable "zones" {
  type    = list(object({ name = string, size = optional(number, 3) }))
  default = [{ name = "a" }, { name = "b", size = 1 }]
}
locals {
  names = { for zone in var.zones : upper(zone.name) => zone.size }
  text  = "${join("-", keys(local.names))}%{ if length(var.zones) > 1 }!%{ endif }"
  merged = merge(local.names, { A = null })
}
"#;
    let found = locals(&[("main.tf", main)], &["names", "text", "merged"]);
    assert_eq!(
        found,
        [
            known(r#"{"A":3,"B":1}"#),
            known(r#""A-B!""#),
            known(r#"{"A":null,"B":1}"#)
        ]
    );
}

#[test]
fn a_module_gets_what_its_call_gives_and_gives_its_outputs_back() {
    let main = r#"
module "app" {
  source   = "./modules/app"
  for_each = toset(["x", "y"])
  name     = each.key
}
locals {
  app = module.app["y"].title
}
"#;
    let app = r#"
variable "name" {}
output "title" {
  value = "app ${var.name}"
}
"#;
    let files = [("main.tf", main), ("modules/app/main.tf", app)];
    assert_eq!(locals(&files, &["app"]), [known(r#""app y""#)]);
    with_run(&files, |run| {
        let call = &run.module(run.root()).calls["app"];
        let Instances::Many(instances) = run.instances(run.root(), call) else {
            panic!("the number of calls is known");
        };
        let keys: Vec<&str> = instances.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(keys, ["x", "y"]);
        let path = RepoPath::new("modules/app").unwrap();
        assert_eq!(run.origin(run.root(), call), ModuleSource::Here(path));
    });
}

#[test]
fn files_are_read_below_the_root_of_the_tree_and_are_listed() {
    let main = r#"
locals {
  size    = yamldecode(file("${path.module}/../values.yaml")).size
  outside = file("../../../etc/passwd")
  hello   = templatefile("hello.tftpl", { name = "you" })
  all     = fileset(path.module, "*.tftpl")
}
output "size" {
  value = local.size
}
"#;
    let files = [
        ("infra/main.tf", main),
        ("infra/hello.tftpl", "Hello ${name}"),
        ("values.yaml", "size: 7\n"),
    ];
    let found = locals(&files, &["size", "outside", "hello", "all"]);
    assert_eq!(
        found,
        [
            known("7"),
            None,
            known(r#""Hello you""#),
            known(r#"["hello.tftpl"]"#)
        ]
    );
    let named = with_run(&files, |run| {
        run.local(run.root(), "size");
        run.named_files().len()
    });
    assert_eq!(named, 1);
}

#[test]
fn what_a_provider_decides_is_a_hole_in_the_text_around_it() {
    let main = r#"
resource "aws_vpc" "main" {
  cidr_block = "10.0.0.0/16"
}
locals {
  block  = aws_vpc.main.cidr_block
  id     = aws_vpc.main.id
  values = "size: 1\nvpc: ${aws_vpc.main.id}\n"
}
"#;
    let files = [("main.tf", main)];
    let found = locals(&files, &["block", "id", "values"]);
    assert_eq!(found, [known(r#""10.0.0.0/16""#), None, None]);
    with_run(&files, |run| {
        let values = run.local(run.root(), "values");
        assert!(values.is_unknown());
        let documents = values.documents().unwrap();
        assert_eq!(yaml::to_json(&documents[0]).to_string(), r#"{"size":1}"#);
    });
}

#[test]
fn a_secret_is_gone_from_whatever_is_made_of_it() {
    let main = r#"
variable "token" {
  default   = "correct horse"
  sensitive = true
}
locals {
  header = "Bearer ${var.token}"
  both   = { size = 1, given = var.token }
}
"#;
    with_run(&[("main.tf", main)], |run| {
        let header = run.local(run.root(), "header");
        let shown = run.local(run.root(), "both").shown();
        assert!(header.is_secret && header.written().is_none());
        let text = yaml::to_json(&shown.node.unwrap()).to_string();
        assert_eq!(text, r#"{"given":"<secret>","size":1}"#);
    });
    let found = plain_secrets(&Tree::new(&[(
        "prod.tfvars",
        "db_password = \"Tr0ub4dor&3x\"\n",
    )]));
    let keys: Vec<&str> = found.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(keys, ["db_password"]);
}

#[test]
fn a_block_waits_for_those_that_it_names_directly_and_through_others() {
    let main = r#"
module "network" {
  source = "example/network/aws"
}
resource "aws_eks_cluster" "main" {
  subnets = local.subnets
}
locals {
  subnets = module.network.subnets
}
resource "helm_release" "app" {
  name       = aws_eks_cluster.main.name
  depends_on = [helm_release.base]
}
resource "helm_release" "base" {
  name = "base"
}
"#;
    let is_picked = |address: &BlockAddress| match address {
        BlockAddress::Call(_) => true,
        BlockAddress::Resource(kind, _) => kind == "helm_release",
    };
    with_run(&[("main.tf", main)], |run| {
        let mut waits = crate::waits(run.module(run.root()), &is_picked);
        let app = BlockAddress::Resource("helm_release".into(), "app".into());
        let base = BlockAddress::Resource("helm_release".into(), "base".into());
        let found = waits.remove(&app).unwrap();
        let found: Vec<(BlockAddress, Reason)> = found
            .into_iter()
            .map(|wait| (wait.on, wait.reason))
            .collect();
        let network = BlockAddress::Call("network".into());
        assert_eq!(
            found,
            [(network, Reason::Reference), (base, Reason::DependsOn)]
        );
    });
}

#[test]
fn values_from_outside_win_over_defaults_and_later_ones_over_earlier_ones() {
    let tree = Tree::new(&[
        (
            "main.tf",
            "variable \"size\" {\n  default = 1\n}\nvariable \"zone\" {\n  default = \"a\"\n}\n",
        ),
        ("dev.tfvars", "size = 2\nzone = \"b\"\n"),
        ("dev.tfvars.json", "{\"size\": 3}"),
    ]);
    let modules = Modules::read(&tree);
    let roots = modules.roots(&tree);
    let mut run = ModuleRun::new(&modules, &tree, roots[0]);
    for file in &modules.values {
        run.give(&crate::read_file(&tree, *file).unwrap());
    }
    let text = |value: HclValue| value.as_text().unwrap();
    assert_eq!(text(run.variable(run.root(), "size")), "3");
    assert_eq!(text(run.variable(run.root(), "zone")), "b");
}

#[test]
fn circles_and_growth_end_without_a_value() {
    let mut main = String::from("locals {\n  a = local.b\n  b = local.a\n  t0 = \"xxxxxxxx\"\n");
    for nth in 1..40 {
        let before = nth - 1;
        main += &format!("  t{nth} = \"${{local.t{before}}}${{local.t{before}}}\"\n");
    }
    main += "}\nmodule \"self\" {\n  source = \".\"\n}\n";
    let files = [("main.tf", main.as_str())];
    assert_eq!(locals(&files, &["a", "t39"]), [None, None]);
    assert!(locals(&files, &["t10"])[0].is_some());
    with_run(&files, |run| {
        let one = crate::Instance::default();
        assert!(run.child(run.root(), "self", &one).is_none());
        assert!(run.is_above(run.root(), &RepoPath::root()));
    });
}
