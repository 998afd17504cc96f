//! Terraform at the doors: root modules and the environments that they are run for, what they make, what waits for what,
//! and hostile files, which cost a finding or none, and time that has an end.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cli::{catalog, repo};
use crate::entry::{Files, read, rules, units};

/// A module with a vault and what it gives.
const VAULT: &str = r#"
variable "name" {
  description = "What the vault is called."
  type        = string
}
variable "retention" {
  type    = number
  default = 7
}
resource "azurerm_key_vault" "this" {
  name     = var.name
  location = "westeurope"
}
output "url" {
  description = "Where it answers."
  value       = "https://${azurerm_key_vault.this.name}.vault.azure.net"
}
"#;

/// A release of the External Secrets Operator; `more` continues its block.
fn operator(more: &str) -> String {
    format!(
        "resource \"helm_release\" \"operator\" {{\n  name       = \"external-secrets\"\n  repository = \"https://charts.external-secrets.io\"\n  chart      = \"external-secrets\"\n  version    = \"0.10.0\"\n  namespace  = \"external-secrets\"\n  create_namespace = true\n{more}}}\n"
    )
}

fn component<'d>(document: &'d Value, id: &str) -> &'d Value {
    let components = document["components"].as_array().unwrap().iter();
    let mut found = components.filter(|component| component["id"] == id);
    found
        .next()
        .unwrap_or_else(|| panic!("no {id} in {:?}", ids(document)))
}

fn ids(document: &Value) -> Vec<&str> {
    let components = document["components"].as_array().unwrap().iter();
    components
        .map(|component| component["id"].as_str().unwrap())
        .collect()
}

fn clusters(document: &Value) -> Vec<&str> {
    let clusters = document["clusters"].as_array().unwrap().iter();
    clusters
        .map(|cluster| cluster["name"].as_str().unwrap())
        .collect()
}

/// `value file:line` of a setting in an environment.
fn setting(component: &Value, name: &str, environment: &str) -> String {
    let settings = component["settings"].as_array().unwrap().iter();
    let mut named = settings.filter(|setting| setting["name"] == name);
    let value = &named.next().unwrap_or_else(|| panic!("no {name}"))["values"][environment];
    let shown = value["value"].as_str().unwrap_or("-");
    format!(
        "{shown} {}:{}",
        value["file"].as_str().unwrap(),
        value["line"]
    )
}

fn upstream(component: &Value) -> Vec<String> {
    let edges = component["upstream"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    edges
        .map(|edge| format!("{} {}", text(&edge["id"]), text(&edge["reason"])))
        .collect()
}

fn all_rules(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| finding["rule"].as_str().unwrap())
        .collect()
}

#[test]
fn a_root_module_is_run_once_for_each_file_of_values() {
    let document = read(&[
        (
            "infra/main.tf",
            "variable \"environment\" {}\nvariable \"retention\" {\n  default = 7\n}\nlocals {\n  prefix = \"shop-${var.environment}\"\n}\nmodule \"vault\" {\n  source    = \"./modules/vault\"\n  name      = lower(\"${local.prefix}-KV\")\n  retention = var.retention\n}\n",
        ),
        ("infra/modules/vault/main.tf", VAULT),
        ("infra/dev.tfvars", "environment = \"dev\"\n"),
        (
            "infra/env/prod.tfvars",
            "environment = \"prod\"\nretention = 30\n",
        ),
        ("infra/terraform.tfvars", "retention = 14\n"),
        ("infra/backend-prod.tfvars", "bucket = \"state\"\n"),
        ("infra/environments/prod/example.tfvars", "retention = 1\n"),
    ]);
    assert_eq!(clusters(&document), ["dev", "prod"]);
    assert_eq!(ids(&document), ["infra", "vault"]);
    let vault = component(&document, "vault");
    assert_eq!(vault["source"], "infra/modules/vault");
    assert_eq!(
        setting(vault, "name", "dev"),
        "shop-dev-kv infra/main.tf:10"
    );
    assert_eq!(
        setting(vault, "retention", "dev"),
        "14 infra/terraform.tfvars:1"
    );
    assert_eq!(
        setting(vault, "retention", "prod"),
        "30 infra/env/prod.tfvars:2"
    );
    assert_eq!(upstream(vault), [""; 0]);
    assert_eq!(rules(&document), [""; 0]);
}

#[test]
fn directories_of_environments_run_the_same_modules() {
    let main = |environment: &str| {
        format!(
            "module \"vault\" {{\n  source = \"../../modules/vault\"\n  name = \"{environment}-kv\"\n}}\n"
        )
    };
    let (dev, prod) = (main("dev"), main("prod"));
    let network = "variable \"cidr\" {\n  default = \"10.0.0.0/16\"\n}\nresource \"aws_vpc\" \"this\" {\n  cidr_block = var.cidr\n}\n";
    let document = read(&[
        ("environments/dev/main.tf", &dev),
        ("environments/prod/main.tf", &prod),
        ("modules/vault/main.tf", VAULT),
        ("modules/unused/main.tf", VAULT),
        ("live/prod/network/main.tf", network),
        (
            "live/prod/network/.terraform/modules/x/main.tf",
            "module \"x\" {",
        ),
    ]);
    assert_eq!(clusters(&document), ["dev", "prod"]);
    assert_eq!(ids(&document), ["network", "vault"]);
    let vault = component(&document, "vault");
    assert_eq!(
        setting(vault, "name", "dev"),
        "dev-kv environments/dev/main.tf:3"
    );
    assert_eq!(
        setting(vault, "name", "prod"),
        "prod-kv environments/prod/main.tf:3"
    );
    assert_eq!(rules(&document), [""; 0]);
}

#[test]
fn a_published_module_is_one_component_and_its_examples_are_none() {
    let root = "variable \"name\" {}\nmodule \"inner\" {\n  source = \"./modules/vault\"\n  name = var.name\n}\noutput \"url\" {\n  value = module.inner.url\n}\n";
    let document = read(&[
        ("main.tf", root),
        (
            "versions.tf",
            "terraform {\n  required_version = \">= 1.5\"\n}\n",
        ),
        ("modules/vault/main.tf", VAULT),
        (
            "examples/complete/main.tf",
            "module \"it\" {\n  source = \"../../\"\n  name = \"x\"\n}\n",
        ),
    ]);
    assert_eq!(ids(&document), ["inner", "terraform"]);
    assert_eq!(rules(&document), [""; 0]);
}

#[test]
fn releases_have_their_values_in_the_order_in_which_they_win() {
    let release = operator(
        "  values = [\n    file(\"${path.module}/values.yaml\"),\n    yamlencode({ replicaCount = 2, extra = local.unknown }),\n    <<-EOT\n      resources:\n        limits: {memory: 64Mi}\n    EOT\n  ]\n  set {\n    name  = \"webhook.port\"\n    value = 9443\n  }\n",
    );
    let document = read(&[
        ("platform/main.tf", &release),
        ("platform/values.yaml", "replicaCount: 1\nlogLevel: info\n"),
    ]);
    let operator = component(&document, "external-secrets");
    assert_eq!(operator["chart"]["version"], "0.10.0");
    assert_eq!(operator["namespace"], "external-secrets");
    let shown = |name| setting(operator, name, "platform");
    assert_eq!(shown("replicaCount"), "2 platform/main.tf:10");
    assert_eq!(shown("logLevel"), "info platform/values.yaml:2");
    assert_eq!(shown("resources.limits.memory"), "64Mi platform/main.tf:13");
    assert_eq!(shown("webhook.port"), "9443 platform/main.tf:18");
}

#[test]
fn what_waits_is_found_through_locals_and_resources() {
    let main = "module \"a\" {\n  source = \"./modules/vault\"\n  name = \"a\"\n}\nlocals {\n  url = module.a.url\n}\nresource \"null_resource\" \"between\" {\n  triggers = { url = local.url }\n}\nmodule \"b\" {\n  source = \"./modules/vault\"\n  name = null_resource.between.id\n}\nmodule \"c\" {\n  source = \"./modules/vault\"\n  name = \"c\"\n  depends_on = [module.b]\n}\n";
    let document = read(&[
        ("infra/main.tf", main),
        ("infra/modules/vault/main.tf", VAULT),
    ]);
    let b = upstream(component(&document, "b"));
    assert_eq!(b, ["a Terraform reference"]);
    let c = upstream(component(&document, "c"));
    assert_eq!(c, ["b Terraform depends_on"]);
}

#[test]
fn modules_that_use_parts_of_each_other_are_no_circle() {
    let main = "module \"a\" {\n  source = \"example/a/aws\"\n  x = module.b.one\n}\nmodule \"b\" {\n  source = \"example/b/aws\"\n  version = \"1.2.0\"\n  y = module.a.two\n}\n";
    let document = read(&[("infra/main.tf", main)]);
    assert_eq!(ids(&document), ["a", "b"]);
    assert_eq!(upstream(component(&document, "a")), [""; 0]);
    assert_eq!(all_rules(&document), [""; 0]);
}

#[test]
fn a_run_belongs_to_the_cluster_of_its_name_and_what_it_installs_is_there() {
    let sync = crate::entry::unit("apps", "./apps", "");
    let secret = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db, namespace: shop}\nspec:\n  secretStoreRef: {kind: ClusterSecretStore, name: vault}\n  data: [{secretKey: password, remoteRef: {key: db}}]\n";
    let store = "resource \"kubectl_manifest\" \"store\" {\n  yaml_body = <<-EOT\n    apiVersion: external-secrets.io/v1\n    kind: ClusterSecretStore\n    metadata: {name: vault}\n    spec: {provider: {azurekv: {vaultUrl: \"https://shop-dev.vault.azure.net\"}}}\n  EOT\n  depends_on = [helm_release.operator]\n}\n";
    let release = operator("");
    let document = read(&[
        ("clusters/dev/apps.yaml", &sync),
        ("apps/shop/secret.yaml", secret),
        ("terraform/main.tf", &release),
        ("terraform/store.tf", store),
        ("terraform/dev.tfvars", "a = 1\n"),
    ]);
    assert_eq!(clusters(&document), ["dev"]);
    let apps = upstream(component(&document, "apps"));
    assert!(
        apps.contains(&"external-secrets needs its CRD".to_owned()),
        "{apps:?}"
    );
    assert!(
        apps.contains(&"terraform reads secrets through its store".to_owned()),
        "{apps:?}"
    );
    let order = ["crd-", "webhook-", "weak-"];
    let found = all_rules(&document);
    let of_order = found
        .iter()
        .filter(|rule| order.iter().any(|start| rule.starts_with(start)));
    assert_eq!(of_order.count(), 0, "{found:?}");
}

#[test]
fn no_secret_value_is_in_any_file_of_the_site_or_the_export() {
    let main = "variable \"login\" {\n  type = string\n  sensitive = true\n  default = \"hunter2-default\"\n}\nvariable \"db_password\" {}\nvariable \"all\" {\n  sensitive = true\n  type = map(string)\n}\nmodule \"app\" {\n  source = \"./app\"\n  login = \"user:${var.login}\"\n  plain = var.all[\"a\"]\n  pair = { password = \"hunter2-key\" }\n}\nlocals {\n  joined = join(\",\", [var.login, var.db_password])\n}\nresource \"helm_release\" \"web\" {\n  name = \"web\"\n  chart = \"web\"\n  repository = \"https://charts.example.com\"\n  values = [yamlencode({ a = local.joined, token = \"hunter2-token\" }), \"auth: ${var.login}\\n\"]\n  set_sensitive {\n    name = \"x.y\"\n    value = \"hunter2-set\"\n  }\n  set {\n    name = \"adminPassword\"\n    value = \"hunter2-admin\"\n  }\n}\nresource \"kubernetes_secret\" \"s\" {\n  metadata {\n    name = \"s\"\n  }\n  data = {\n    user = \"hunter2-data\"\n  }\n}\nresource \"kubernetes_manifest\" \"m\" {\n  manifest = {\n    apiVersion = \"v1\"\n    kind = \"Secret\"\n    metadata = { name = \"m\", namespace = \"x\" }\n    stringData = { a = \"hunter2-string\" }\n  }\n}\noutput \"secret\" {\n  value = \"hunter2-output\"\n}\n";
    let app = "variable \"login\" {}\nvariable \"plain\" {}\nvariable \"pair\" {}\nvariable \"api_token\" {\n  default = \"hunter2-api\"\n}\n";
    let directory = repo(&[
        ("infra/main.tf", main),
        ("infra/app/main.tf", app),
        (
            "infra/app/broken.tf",
            "variable \"broken_secret\" {\n  sensitive = true\n  default = \"hunter2-broken\"\n",
        ),
        (
            "infra/prod.tfvars",
            "login = \"hunter2-tfvars\"\ndb_password = \"hunter2-named\"\nall = { a = \"hunter2-all\" }\nbroken = [\n",
        ),
        (
            "infra/dev.tfvars",
            "login = \"hunter2-tfvars\"\ndb_password = \"hunter2-named\"\nall = { a = \"hunter2-all\" }\n",
        ),
    ]);
    let built = catalog(&["build", ".", "--out", "book"], directory.path());
    let checked = catalog(&["check", "."], directory.path());
    let exported = catalog(&["export", "."], directory.path());
    for output in [built, checked, exported] {
        for stream in [output.stdout, output.stderr] {
            assert!(!String::from_utf8_lossy(&stream).contains("hunter2"));
        }
    }
    let mut files = 0;
    each_file(&directory.path().join("book"), &mut |path, bytes| {
        files += 1;
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("hunter2"), "{}", path.display());
    });
    assert!(files > 10);
}

fn each_file(directory: &Path, f: &mut dyn FnMut(&Path, &[u8])) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => each_file(&path, f),
            false => f(&path, &fs::read(&path).unwrap()),
        }
    }
}

#[test]
fn what_nobody_here_can_know_is_left_out_rather_than_guessed() {
    let main = "variable \"given\" {}\nvariable \"typed\" {\n  type = object({ size = optional(number, 5) })\n  default = {}\n}\ndata \"aws_region\" \"here\" {}\ndata \"aws_vpc\" \"asked\" {\n  name = \"main\"\n}\nlocals {\n  a = { x = 1 }\n  b = merge(local.a, var.given)\n}\nmodule \"m\" {\n  source = \"./m\"\n  a = data.aws_region.here.name\n  b = try(var.given, \"default\")\n  c = lookup(var.typed, \"size\", 3)\n  d = local.b.x\n  e = var.given == \"x\" ? 1 : 2\n  f = \"at ${path.module}\"\n  g = terraform.workspace\n  h = local.missing\n  i = [for k, v in local.a : \"${k}=${v}\"]\n  j = coalesce(null, \"\", \"last\")\n  k = format(\"%s-%03d\", \"a\", 1)\n  l = data.aws_vpc.asked.name\n}\n";
    let inner = "variable \"a\" {}\nvariable \"b\" {}\nvariable \"c\" {}\n";
    let document = read(&[("infra/main.tf", main), ("infra/m/main.tf", inner)]);
    let settings = component(&document, "m")["settings"].as_array().unwrap();
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
    assert_eq!(shown, [("i", "x=1"), ("j", "last"), ("l", "main")]);
}

#[test]
fn blocks_stand_for_as_many_objects_as_they_say() {
    let main = "module \"team\" {\n  source = \"./team\"\n  for_each = toset([\"red\", \"blue\"])\n  name = each.key\n}\nmodule \"off\" {\n  source = \"./team\"\n  count = 0\n  name = \"off\"\n}\nmodule \"on\" {\n  source = \"./team\"\n  count = 1\n  name = \"on\"\n}\nmodule \"many\" {\n  source = \"./team\"\n  count = 1000000000\n  name = \"many\"\n}\nmodule \"unknown\" {\n  source = \"./team\"\n  for_each = data.x.y.z\n  name = each.value\n}\noutput \"red\" {\n  value = module.team[\"red\"].name\n}\n";
    let team = "variable \"name\" {}\nresource \"aws_s3_bucket\" \"b\" {\n  bucket = var.name\n}\noutput \"name\" {\n  value = var.name\n}\n";
    let document = read(&[("infra/main.tf", main), ("infra/team/main.tf", team)]);
    assert_eq!(
        ids(&document),
        ["infra", "many", "on", "team-blue", "team-red", "unknown"]
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
    assert_eq!(ids(&document), ["far", "gone", "out", "said"]);
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
fn a_custom_resource_that_is_planned_with_its_definition_never_comes() {
    let store = |kind: &str, body: &str| {
        format!(
            "resource \"{kind}\" \"store\" {{\n  {body}\n  depends_on = [helm_release.operator]\n}}\n"
        )
    };
    let object = "{ apiVersion = \"external-secrets.io/v1\", kind = \"ClusterSecretStore\", metadata = { name = \"vault\" } }";
    let planned = store("kubernetes_manifest", &format!("manifest = {object}"));
    let applied = store(
        "kubectl_manifest",
        &format!("yaml_body = yamlencode({object})"),
    );
    let release = operator("");
    let document = read(&[("infra/main.tf", &release), ("infra/store.tf", &planned)]);
    let findings = document["findings"].as_array().unwrap();
    assert_eq!(all_rules(&document), ["crd-deadlock"], "{findings:?}");
    let finding = &findings[0];
    assert_eq!(
        (finding["file"].as_str(), finding["line"].as_u64()),
        (Some("infra/store.tf"), Some(1))
    );
    assert!(
        finding["help"]
            .as_str()
            .unwrap()
            .contains("root module of its own")
    );
    let inside = format!("{release}{planned}");
    let call = "module \"secrets\" {\n  source = \"./secrets\"\n}\n";
    let document = read(&[("infra/main.tf", call), ("infra/secrets/main.tf", &inside)]);
    assert_eq!(all_rules(&document), ["crd-deadlock"]);
    // No order among modules helps: all of them are planned before any is applied.
    let calls = "module \"operator\" {\n  source = \"./operator\"\n}\nmodule \"store\" {\n  source = \"./store\"\n  depends_on = [module.operator]\n}\n";
    let alone = planned.replace("  depends_on = [helm_release.operator]\n", "");
    let document = read(&[
        ("infra/main.tf", calls),
        ("infra/operator/main.tf", &release),
        ("infra/store/main.tf", &alone),
    ]);
    assert_eq!(all_rules(&document), ["crd-deadlock"]);
    let document = read(&[("infra/main.tf", &release), ("infra/store.tf", &applied)]);
    assert_eq!(all_rules(&document), [""; 0]);
    // Two root modules are applied by people, in an order that nobody here knows.
    let document = read(&[
        ("live/prod/operator/main.tf", &release),
        ("live/prod/store/main.tf", &alone),
    ]);
    assert_eq!(all_rules(&document), [""; 0]);
}

#[test]
fn typed_resources_are_the_objects_that_they_spell_out() {
    let main = "resource \"kubernetes_namespace_v1\" \"shop\" {\n  metadata {\n    name = \"shop\"\n  }\n}\nresource \"kubernetes_deployment\" \"web\" {\n  metadata {\n    name = \"web\"\n    namespace = kubernetes_namespace_v1.shop.metadata[0].name\n  }\n  spec {\n    replicas = 2\n    selector {\n      match_labels = { app_name = \"web\" }\n    }\n    template {\n      metadata {\n        labels = { app_name = \"web\" }\n      }\n      spec {\n        container {\n          name = \"web\"\n          image = \"registry.example.com/web:1.2.3\"\n          env {\n            name = \"DB\"\n            value_from {\n              secret_key_ref {\n                name = \"db\"\n                key = \"x\"\n              }\n            }\n          }\n        }\n      }\n    }\n  }\n}\n";
    let document = read(&[("shop/main.tf", main)]);
    let shop = component(&document, "shop");
    assert_eq!(shop["namespace"], "shop");
    let text = shop.to_string();
    assert!(
        text.contains("registry.example.com/web:1.2.3")
            || document.to_string().contains("Deployment")
    );
    let resources = shop["resources"].as_array().unwrap().iter();
    let kinds: Vec<&str> = resources.map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["Namespace", "Deployment", "RootModule"]);
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
fn an_override_takes_the_place_of_what_it_changes() {
    let document = read(&[
        (
            "infra/a_override.tf",
            "module \"vault\" {\n  name = \"late\"\n}\n",
        ),
        (
            "infra/main.tf",
            "module \"vault\" {\n  source = \"./vault\"\n  name = \"early\"\n}\n",
        ),
        ("infra/vault/main.tf", VAULT),
    ]);
    let vault = component(&document, "vault");
    assert_eq!(
        setting(vault, "name", "infra"),
        "late infra/a_override.tf:2"
    );
}

#[cfg(feature = "pulumi")]
#[test]
fn what_another_program_installs_is_there_as_well() {
    let sync = crate::entry::unit("apps", "./apps", "");
    let secret = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db, namespace: shop}\nspec:\n  secretStoreRef: {kind: ClusterSecretStore, name: vault}\n  data: [{secretKey: password, remoteRef: {key: db}}]\n";
    let program = "import * as k8s from \"@pulumi/kubernetes\";\n\nnew k8s.helm.v3.Chart(\"external-secrets\", {\n  chart: \"external-secrets\",\n  version: \"0.10.0\",\n  namespace: \"external-secrets\",\n  fetchOpts: { repo: \"https://charts.external-secrets.io\" },\n});\n";
    let document = read(&[
        ("clusters/dev/apps.yaml", &sync),
        ("apps/shop/secret.yaml", secret),
        ("base/Pulumi.yaml", "name: base\nruntime: nodejs\n"),
        ("base/Pulumi.dev.yaml", "config:\n  base:size: small\n"),
        ("base/index.ts", program),
    ]);
    assert_eq!(clusters(&document), ["dev"]);
    let apps = upstream(component(&document, "apps"));
    assert_eq!(apps, ["external-secrets needs its CRD"]);
    let found = all_rules(&document);
    assert!(
        found.iter().all(|rule| !rule.starts_with("crd-")),
        "{found:?}"
    );
}

/// A cluster of Flux with these objects in one unit, beside a root module for it.
fn beside(objects: &str, main: &str) -> Value {
    let sync = crate::entry::unit("apps", "./apps", "");
    read(&[
        ("clusters/prod/apps.yaml", &sync),
        ("apps/objects.yaml", objects),
        ("cloud/main.tf", main),
        ("cloud/prod.tfvars", "environment = \"prod\"\n"),
    ])
}

#[test]
fn tools_meet_where_one_creates_what_the_other_uses() {
    const USES: &str = "cloud uses what it creates outside the cluster";
    let store = |provider: &str| {
        format!(
            "apiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nmetadata: {{name: store}}\nspec: {{provider: {provider}}}\n---\n"
        )
    };
    let secret = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db, namespace: shop}\nspec:\n  secretStoreRef: {kind: ClusterSecretStore, name: store}\n  dataFrom: [{extract: {key: shop/prod/db}}]\n---\n";
    let bucket = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata: {target: 's3://shop-prod-backups/base'}\n";
    let resource = |kind: &str, key: &str, name: &str| {
        format!(
            "variable \"environment\" {{}}\nresource \"{kind}\" \"this\" {{\n  {key} = \"{name}\"\n}}\n"
        )
    };
    let named = "shop/${var.environment}/db";
    let cases = [
        (
            store("{azurekv: {vaultUrl: 'https://shop-prod-kv.vault.azure.net'}}"),
            resource("azurerm_key_vault", "name", "Shop-${var.environment}-kv"),
        ),
        (
            store("{aws: {service: SecretsManager, region: eu-west-1}}") + secret,
            resource("aws_secretsmanager_secret", "name", named),
        ),
        (
            store("{aws: {service: ParameterStore, region: eu-west-1}}") + secret,
            resource("aws_ssm_parameter", "name", named),
        ),
        (
            store("{gcpsm: {projectID: shop}}") + secret,
            resource("google_secret_manager_secret", "secret_id", named),
        ),
        (
            bucket.to_owned(),
            resource("aws_s3_bucket", "bucket", "shop-${var.environment}-backups"),
        ),
    ];
    for (objects, main) in &cases {
        let document = beside(objects, main);
        let edges = upstream(component(&document, "apps"));
        assert!(edges.contains(&USES.to_owned()), "{main}: {edges:?}");
    }
    let apart = [
        // The store reads from another service, another vault is meant, or the name is not known.
        (
            store("{vault: {server: 'https://vault.example.com'}}") + secret,
            resource("aws_secretsmanager_secret", "name", named),
        ),
        (
            store("{aws: {service: ParameterStore}}") + secret,
            resource("aws_secretsmanager_secret", "name", named),
        ),
        (
            store("{azurekv: {vaultUrl: 'https://shop-prod-kv2.vault.azure.net'}}"),
            resource("azurerm_key_vault", "name", "shop-prod-kv"),
        ),
        (
            bucket.to_owned(),
            resource("aws_s3_bucket", "bucket", "shop-${random_id.x.hex}-backups"),
        ),
    ];
    for (objects, main) in &apart {
        let document = beside(objects, main);
        let edges = upstream(component(&document, "apps"));
        assert!(!edges.contains(&USES.to_owned()), "{main}: {edges:?}");
    }
}

#[test]
fn the_page_of_a_module_lists_its_inputs_and_outputs() {
    let module = "variable \"size\" {\n  description = \"How | large.\"\n  type = object({\n    a = number # one\n    b = optional(string, \"x\")\n  })\n}\nvariable \"tags\" {\n  type    = map(string)\n  default = { team = \"shop\" }\n}\nvariable \"login\" {\n  default   = \"hunter2\"\n  sensitive = true\n}\noutput \"url\" {\n  description = \"Where <it> answers.\"\n  value       = 1\n}\noutput \"key\" {\n  value     = 2\n  sensitive = true\n}\n";
    let directory = repo(&[
        (
            "infra/main.tf",
            "module \"vault\" {\n  source = \"./vault\"\n  size   = { a = 1 }\n}\n",
        ),
        ("infra/vault/main.tf", module),
    ]);
    let document = crate::cli::export(directory.path());
    let vault = component(&document, "vault");
    let inputs = vault["inputs"].as_array().unwrap();
    let names: Vec<&str> = inputs
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["login", "size", "tags"]);
    let line = |at: usize| {
        (
            inputs[at]["required"].as_bool().unwrap(),
            inputs[at]["secret"].as_bool().unwrap(),
            inputs[at]["default"].as_str(),
            inputs[at]["line"].as_u64().unwrap(),
        )
    };
    assert_eq!(line(0), (false, true, None, 12));
    assert_eq!(line(1), (true, false, None, 1));
    assert_eq!(line(2), (false, false, Some("{\"team\":\"shop\"}"), 8));
    assert_eq!(
        inputs[1]["type"],
        "object({ a = number, b = optional(string, \"x\") })"
    );
    let outputs = vault["outputs"].as_array().unwrap();
    assert_eq!(outputs[1]["description"], "Where <it> answers.");
    catalog(&["build", ".", "--out", "book"], directory.path());
    let page = fs::read_to_string(directory.path().join("book/components/vault.html")).unwrap();
    assert!(page.contains("Inputs and outputs") && page.contains("Where &lt;it&gt; answers."));
    let twin = fs::read_to_string(directory.path().join("book/components/vault.md")).unwrap();
    for row in [
        "| `size` | How \\| large. | `object({ a = number, b = optional(string, \"x\") })` | required |",
        "| `tags` |  | `map(string)` | `{\"team\":\"shop\"}` |",
        "| `login` |  |  | (secret) |",
        "| `key` | (secret) |",
    ] {
        assert!(twin.contains(row), "{row} is not in {twin}");
    }
}

#[test]
fn a_module_from_elsewhere_may_bring_what_its_root_could_bring() {
    let sync = crate::entry::unit("apps", "./apps", "");
    let objects = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\n";
    let far = "module \"addons\" {\n  source = \"example/addons/aws\"\n}\n";
    let found = |provider: &str| {
        let main = format!("provider \"{provider}\" {{}}\n{far}");
        let document = read(&[
            ("clusters/prod/apps.yaml", &sync),
            ("apps/objects.yaml", objects),
            ("cloud/main.tf", &main),
            ("cloud/prod.tfvars", ""),
        ]);
        let rules = all_rules(&document);
        rules.contains(&"namespace-missing")
    };
    assert!(found("aws"));
    assert!(!found("helm"));
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

#[test]
fn a_release_waits_unless_it_is_told_not_to() {
    let release = operator("  wait = false\n");
    let calls = "module \"operator\" {\n  source = \"./operator\"\n}\nmodule \"store\" {\n  source = \"./store\"\n  depends_on = [module.operator]\n}\n";
    let store =
        "resource \"kubernetes_namespace\" \"n\" {\n  metadata {\n    name = \"n\"\n  }\n}\n";
    let document = read(&[
        ("infra/main.tf", calls),
        ("infra/operator/main.tf", &release),
        ("infra/store/main.tf", store),
    ]);
    let clusters = document["clusters"].as_array().unwrap();
    let units = clusters[0]["units"].as_array().unwrap();
    let gates: Vec<(&str, &str)> = units
        .iter()
        .map(|unit| {
            (
                unit["name"].as_str().unwrap(),
                unit["gate"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        gates,
        [
            ("operator", "wait"),
            ("store", "wait"),
            ("infra", "wait"),
            ("external-secrets", "none")
        ]
    );
}

#[test]
fn manifests_that_a_module_reads_are_its_own() {
    let object = |name: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: default}}\n")
    };
    let (one, two) = (object("one"), object("two"));
    let main = "resource \"kubectl_manifest\" \"all\" {\n  for_each  = fileset(\"${path.module}/manifests\", \"*.yaml\")\n  yaml_body = file(\"${path.module}/manifests/${each.value}\")\n}\nresource \"kubernetes_manifest\" \"three\" {\n  manifest = yamldecode(templatefile(\"${path.module}/three.yaml.tpl\", { name = \"three\" }))\n}\n";
    let document = read(&[
        ("infra/main.tf", main),
        ("infra/manifests/one.yaml", &one),
        ("infra/manifests/two.yaml", &two),
        ("infra/three.yaml.tpl", &object("${name}")),
    ]);
    let resources = component(&document, "infra")["resources"]
        .as_array()
        .unwrap();
    let names: Vec<String> = resources
        .iter()
        .map(|one| {
            format!(
                "{} {}",
                one["name"].as_str().unwrap(),
                one["file"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        names,
        [
            "one infra/manifests/one.yaml",
            "three infra/main.tf",
            "two infra/manifests/two.yaml",
            "infra infra/main.tf"
        ]
    );
    assert_eq!(all_rules(&document), [""; 0]);
}

#[test]
fn a_key_that_stands_twice_is_no_mistake() {
    let main = r#"
resource "kubernetes_config_map" "settings" {
  metadata {
    name      = "settings"
    namespace = "default"
  }
  data = {
    colour = "red"
    size   = "1"
    colour = "blue"
  }
}
"#;
    let document = read(&[("main.tf", main)]);
    assert_eq!(all_rules(&document), [""; 0]);
    assert!(document.to_string().contains("blue"));
}

#[test]
fn roots_of_one_name_are_told_apart_and_a_stage_is_no_environment() {
    let document = read(&[
        (
            "stages/01-network/aws/main.tf",
            "module \"kubernetes\" {\n  source = \"./modules/kubernetes\"\n}\nresource \"aws_vpc\" \"this\" {}\n",
        ),
        (
            "stages/01-network/aws/modules/kubernetes/main.tf",
            "resource \"aws_eks_cluster\" \"this\" {\n  name = \"shop\"\n}\n",
        ),
        (
            "stages/02-state/aws/main.tf",
            "module \"aws\" {\n  source = \"cloud/bucket/aws\"\n}\nresource \"aws_s3_bucket\" \"state\" {\n  bucket = \"state\"\n}\n",
        ),
    ]);
    assert_eq!(
        ids(&document),
        [
            "01-network-aws",
            "01-network-aws-kubernetes",
            "02-state-aws",
            "aws"
        ]
    );
    assert_eq!(clusters(&document), ["01-network", "02-state"]);
}

#[test]
fn a_release_keeps_its_name_where_its_module_has_the_same() {
    let releases = "resource \"helm_release\" \"crds\" {\n  name  = \"mesh-crds\"\n  chart = \"mesh-crds\"\n}\nresource \"helm_release\" \"mesh\" {\n  name  = \"mesh\"\n  chart = \"mesh\"\n}\nresource \"null_resource\" \"other\" {}\n";
    let document = read(&[
        (
            "live/main.tf",
            "module \"mesh\" {\n  source = \"../modules/mesh\"\n}\n",
        ),
        ("modules/mesh/main.tf", releases),
    ]);
    assert_eq!(ids(&document), ["live-mesh", "mesh", "mesh-crds"]);
    assert_eq!(component(&document, "mesh")["chart"]["name"], "mesh");
}

#[test]
fn what_a_module_applies_is_no_entry_point() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: shop\n  namespace: argocd\nspec:\n  project: default\n  source:\n    repoURL: https://example.com/shop.git\n    path: deploy\n  destination:\n    server: https://kubernetes.default.svc\n";
    let module = "resource \"kubectl_manifest\" \"shop\" {\n  yaml_body = file(\"${path.module}/shop.yaml\")\n}\n";
    let document = read(&[
        (
            "environments/prod/main.tf",
            "module \"delivery\" {\n  source = \"../../modules/delivery\"\n}\n",
        ),
        ("modules/delivery/main.tf", module),
        ("modules/delivery/shop.yaml", application),
    ]);
    assert_eq!(clusters(&document), ["prod"]);
    let units = document["clusters"][0]["units"].as_array().unwrap();
    let shop = units.iter().find(|unit| unit["name"] == "shop").unwrap();
    assert_eq!(shop["owner"], "terraform/delivery");
}

#[test]
fn files_of_manifests_are_taken_apart() {
    let main = r#"
data "kubectl_path_documents" "all" {
  pattern = "${path.module}/objects/*.yaml"
}
resource "kubectl_manifest" "all" {
  for_each  = toset(data.kubectl_path_documents.all.documents)
  yaml_body = each.value
}
data "kubectl_file_documents" "one" {
  content = file("${path.module}/one.yaml")
}
resource "kubectl_manifest" "one" {
  for_each  = data.kubectl_file_documents.one.manifests
  yaml_body = each.value
}
"#;
    let map = |name: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: default\n"
        )
    };
    let both = format!("{}---\n{}", map("first"), map("second"));
    let document = read(&[
        ("main.tf", main),
        ("objects/both.yaml", &both),
        ("one.yaml", &map("third")),
    ]);
    assert_eq!(all_rules(&document), [""; 0]);
    let resources = document["components"][0]["resources"].to_string();
    for name in ["first", "second", "third"] {
        assert!(resources.contains(name), "{resources}");
    }
}

#[test]
fn a_password_in_a_file_of_values_is_told_and_not_shown() {
    let document = read(&[
        (
            "main.tf",
            "variable \"db_password\" {}\nvariable \"size\" {}\nresource \"null_resource\" \"this\" {}\n",
        ),
        (
            "terraform.tfvars",
            "size = 3\ndb_password = \"correct-horse\"\n",
        ),
        ("example.tfvars", "db_password = \"battery-staple\"\n"),
    ]);
    assert_eq!(all_rules(&document), ["secret-in-git"]);
    let finding = &document["findings"][0];
    assert_eq!(
        (&finding["file"], &finding["line"]),
        (&"terraform.tfvars".into(), &2.into())
    );
    assert!(!document.to_string().contains("correct-horse"));
}

#[test]
fn files_beside_a_root_at_the_top_are_found_and_a_try_falls_back() {
    let main = r#"
locals {
  charts = {
    cache = { version = "1.0.0" }
    queue = { version = "2.0.0", namespace = "jobs" }
  }
}
resource "helm_release" "all" {
  for_each   = local.charts
  name       = each.key
  chart      = each.key
  version    = each.value.version
  repository = "https://charts.example.com"
  namespace  = try(each.value.namespace, "apps")
  values     = [file("${path.module}/values/${each.key}.yaml")]
}
"#;
    let document = read(&[
        ("main.tf", main),
        ("values/cache.yaml", "replicas: 3\n"),
        ("values/queue.yaml", "replicas: 5\n"),
    ]);
    let cache = component(&document, "cache");
    assert_eq!(cache["namespace"], "apps");
    assert_eq!(component(&document, "queue")["namespace"], "jobs");
    let environment = clusters(&document)[0];
    assert_eq!(
        setting(cache, "replicas", environment),
        "3 values/cache.yaml:1"
    );
}
