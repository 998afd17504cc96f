//! What nobody here can know, and what has no end or no sense: left out, cut and said.

use std::fmt::Write;

use super::{VAULT, all_rules, component, ids, operator, setting};
use crate::entry::{Files, read, rules, units};

#[test]
fn what_nobody_here_can_know_is_left_out_rather_than_guessed() {
    let main = "variable \"given\" {}\nvariable \"typed\" {\n  type = object({ size = optional(number, 5) })\n  default = {}\n}\ndata \"aws_region\" \"here\" {}\ndata \"aws_vpc\" \"asked\" {\n  name = \"main\"\n}\nlocals {\n  a = { x = 1 }\n  b = merge(local.a, var.given)\n}\nmodule \"m\" {\n  source = \"./m\"\n  a = data.aws_region.here.name\n  b = try(var.given, \"default\")\n  c = lookup(var.typed, \"size\", 3)\n  d = local.b.x\n  e = var.given == \"x\" ? 1 : 2\n  f = \"at ${path.module}\"\n  g = terraform.workspace\n  h = local.missing\n  i = [for k, v in local.a : \"${k}=${v}\"]\n  j = coalesce(null, \"\", \"last\")\n  k = format(\"%s-%03d\", \"a\", 1)\n  l = data.aws_vpc.asked.name\n}\n";
    let inner = "variable \"a\" {}\nvariable \"b\" {}\nvariable \"c\" {}\n";
    let document = read(&[("infra/main.tf", main), ("infra/m/main.tf", inner)]);
    let settings = component(&document, "infra")["settings"]
        .as_array()
        .unwrap();
    let shown: Vec<(&str, &str)> = settings
        .iter()
        .map(|setting| {
            let value = &setting["values"]["infra"]["value"];
            (
                setting["name"].as_str().unwrap(),
                value.as_str().unwrap_or("-"),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("module.m.c", "5"),
            ("module.m.i", "x=1"),
            ("module.m.j", "last"),
            ("module.m.l", "main"),
            ("typed.size", "5")
        ]
    );
}

#[test]
fn blocks_stand_for_as_many_objects_as_they_say() {
    let main = "module \"team\" {\n  source = \"./team\"\n  for_each = toset([\"red\", \"blue\"])\n  name = each.key\n}\nmodule \"off\" {\n  source = \"./team\"\n  count = 0\n  name = \"off\"\n}\nmodule \"on\" {\n  source = \"./team\"\n  count = 1\n  name = \"on\"\n}\nmodule \"many\" {\n  source = \"./team\"\n  count = 1000000000\n  name = \"many\"\n}\nmodule \"unknown\" {\n  source = \"./team\"\n  for_each = data.x.y.z\n  name = each.value\n}\noutput \"red\" {\n  value = module.team[\"red\"].name\n}\n";
    let team = "variable \"name\" {}\nresource \"aws_s3_bucket\" \"b\" {\n  bucket = var.name\n}\noutput \"name\" {\n  value = var.name\n}\n";
    let document = read(&[("infra/main.tf", main), ("infra/team/main.tf", team)]);
    assert_eq!(ids(&document), ["infra"]);
    let resources = component(&document, "infra")["resources"].as_array();
    let modules = resources.unwrap().iter();
    let modules = modules.filter(|one| one["kind"] == "Module");
    let names: Vec<&str> = modules.map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "module.many",
            "module.off",
            "module.on",
            "module.team",
            "module.unknown"
        ]
    );
    assert_eq!(
        rules(&document),
        ["terraform-unfollowed", "terraform-unfollowed"]
    );
}

#[test]
fn a_file_that_is_no_hcl_costs_one_finding_and_the_rest_of_its_module_is_read() {
    let deep = format!("a = {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    let document = read(&[
        ("infra/main.tf", &operator("")),
        ("infra/broken.tf", "resource \"x\" {\n"),
        ("infra/deep.tf", &deep),
    ]);
    assert_eq!(units(&document), ["infra", "external-secrets"]);
    assert_eq!(rules(&document), ["terraform-invalid", "terraform-invalid"]);
}

#[test]
fn modules_that_call_each_other_end() {
    let call =
        |name: &str, path: &str| format!("module \"{name}\" {{\n  source = \"{path}\"\n}}\n");
    let (root, a, b) = (call("a", "./a"), call("b", "../b"), call("a", "../a"));
    let own = call("own", "./.");
    let document = read(&[
        ("infra/main.tf", &root),
        ("infra/a/main.tf", &a),
        ("infra/b/main.tf", &b),
    ]);
    assert_eq!(rules(&document), ["terraform-module-cycle"]);
    let document = read(&[("infra/main.tf", &own)]);
    assert_eq!(rules(&document), ["terraform-module-cycle"]);
}

#[test]
fn a_source_that_leads_out_or_nowhere_is_one_finding() {
    let main = "module \"out\" {\n  source = \"../../out\"\n}\nmodule \"gone\" {\n  source = \"./gone\"\n}\nmodule \"said\" {\n  source = var.source\n}\nmodule \"far\" {\n  source = \"git::https://git.example.com/x.git?ref=v1\"\n}\n";
    let files: &Files<'_> = &[
        ("infra/main.tf", main),
        ("infra/dev.tfvars", ""),
        ("infra/prod.tfvars", ""),
    ];
    let document = read(files);
    let mut found = rules(&document);
    found.sort_unstable();
    assert_eq!(
        found,
        ["file-missing", "path-outside", "terraform-unfollowed"]
    );
    assert_eq!(ids(&document), ["infra"]);
}

#[test]
fn what_grows_without_end_is_cut() {
    let mut locals = String::from(
        "locals {\n  a0 = [\"xxxxxxxxxxxxxxxx\"]\n  t0 = \"xxxxxxxxxxxxxxxx\"\n  m0 = { a = 1, b = 2 }\n",
    );
    for nth in 1..200 {
        let before = nth - 1;
        writeln!(
            locals,
            "  a{nth} = concat(local.a{before}, local.a{before})"
        )
        .unwrap();
        writeln!(
            locals,
            "  t{nth} = \"${{local.t{before}}}${{local.t{before}}}\""
        )
        .unwrap();
        writeln!(
            locals,
            "  m{nth} = {{ a = local.m{before}, b = local.m{before} }}"
        )
        .unwrap();
    }
    for nth in 0..5_000 {
        writeln!(locals, "  c{nth} = local.c{}", nth + 1).unwrap();
    }
    locals += "  loop = local.loop\n  round = [for a in local.m8 : [for b in local.m8 : [for c in local.m8 : c]]]\n}\n";
    let release = operator(
        "  values = [yamlencode(local.m199), local.t199, yamlencode(local.a199), local.c0, local.loop, yamlencode(local.round)]\n",
    );
    let document = read(&[("infra/main.tf", &release), ("infra/locals.tf", &locals)]);
    assert_eq!(units(&document), ["infra", "external-secrets"]);
    // Each module calls the next one twice.
    let mut files: Vec<(String, String)> = vec![];
    for nth in 0..20 {
        let next = nth + 1;
        let source = format!("../m{next}");
        let call = format!(
            "module \"a\" {{\n  source = \"{source}\"\n}}\nmodule \"b\" {{\n  source = \"{source}\"\n}}\nresource \"aws_vpc\" \"v\" {{}}\n"
        );
        files.push((format!("m{nth}/main.tf"), call));
    }
    files.push((
        "m20/main.tf".into(),
        "resource \"aws_vpc\" \"v\" {}\n".into(),
    ));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let document = read(&files);
    assert!(rules(&document).contains(&"terraform-unfollowed"));
    assert!(!all_rules(&document).contains(&"dangling-dependency"));
    assert!(units(&document).len() <= 8_001);
}

#[test]
fn terragrunt_is_said_once() {
    let text = "terraform {\n  source = \"../modules/vault\"\n}\n";
    let document = read(&[
        ("live/dev/terragrunt.hcl", text),
        ("live/prod/terragrunt.hcl", text),
        ("modules/vault/main.tf", VAULT),
    ]);
    assert_eq!(rules(&document), ["terraform-terragrunt"]);
}

#[test]
fn what_is_stated_and_not_known_is_not_taken_for_a_default() {
    let main = "variable \"chart_version\" {}\nvariable \"where\" {}\nresource \"kubernetes_namespace\" \"ns\" {\n  count = 1\n  metadata {\n    name = \"shop\"\n  }\n}\nresource \"helm_release\" \"a\" {\n  name = \"a\"\n  chart = \"a\"\n  repository = \"https://charts.example.com\"\n  version = var.chart_version\n  namespace = var.where\n  values = [<<-EOT\n    replicas: 2\n    role: ${aws_iam_role.a.arn}\n    nested: {arn: \"x-${aws_iam_role.a.arn}\", kept: yes}\n  EOT\n  ]\n}\nresource \"helm_release\" \"b\" {\n  name = \"b\"\n  chart = \"${path.module}/charts/b\"\n  namespace = kubernetes_namespace.ns[0].id\n}\n";
    let document = read(&[
        ("infra/main.tf", main),
        (
            "infra/charts/b/Chart.yaml",
            "apiVersion: v2\nname: books\nversion: 3.1.0\n",
        ),
    ]);
    let a = component(&document, "a");
    assert_eq!(a["chart"]["version"], "${var.chart_version}");
    assert_eq!(a["namespace"], "");
    assert_eq!(setting(a, "replicas", "infra"), "2 infra/main.tf:16");
    assert_eq!(setting(a, "nested.kept", "infra"), "yes infra/main.tf:18");
    assert_eq!(a["settings"].as_array().unwrap().len(), 2);
    let b = component(&document, "b");
    assert_eq!(b["namespace"], "shop");
    assert_eq!(
        (b["chart"]["name"].as_str(), b["chart"]["version"].as_str()),
        (Some("books"), Some("3.1.0"))
    );
    assert_eq!(all_rules(&document), [""; 0]);
}
