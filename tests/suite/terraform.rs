//! Terraform at the doors: root modules and the environments that they are run for, what they make, and what waits for
//! what.

mod apart;
mod form;
mod kind;
mod limit;
mod meeting;
mod shown;

use serde_json::Value;

use crate::entry::{read, rules};

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

/// The environments that programs are run for, by program; `-` if a run is for none.
fn programs(document: &Value) -> Vec<String> {
    let programs = document["programs"].as_array().unwrap().iter();
    let named = programs.map(|program| {
        let units = program["units"].as_array().unwrap().iter();
        let runs = units.filter(|unit| unit["owner"] == "(root)");
        let names = runs.map(|unit| unit["environment"].as_str().unwrap_or("-"));
        let names: Vec<&str> = names.collect();
        format!("{}: {}", program["name"].as_str().unwrap(), names.join(" "))
    });
    named.collect()
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

fn upstream(document: &Value, id: &str) -> Vec<String> {
    let component = component(document, id);
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
    assert_eq!(clusters(&document), [""; 0]);
    assert_eq!(programs(&document), ["infra: dev prod"]);
    assert_eq!(ids(&document), ["infra"]);
    let infra = component(&document, "infra");
    assert_eq!(infra["source"], "infra");
    assert_eq!(
        setting(infra, "module.vault.name", "dev"),
        "shop-dev-kv infra/main.tf:10"
    );
    assert_eq!(
        setting(infra, "module.vault.retention", "dev"),
        "14 infra/terraform.tfvars:1"
    );
    assert_eq!(
        setting(infra, "module.vault.retention", "prod"),
        "30 infra/env/prod.tfvars:2"
    );
    assert_eq!(upstream(&document, "infra"), [""; 0]);
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
    assert_eq!(clusters(&document), [""; 0]);
    let found = programs(&document);
    assert_eq!(found, ["terraform: dev prod", "network: prod"]);
    assert_eq!(ids(&document), ["network", "terraform"]);
    let both = component(&document, "terraform");
    assert_eq!(
        setting(both, "module.vault.name", "dev"),
        "dev-kv environments/dev/main.tf:3"
    );
    assert_eq!(
        setting(both, "module.vault.name", "prod"),
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
    assert_eq!(ids(&document), ["terraform"]);
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
fn what_waits_is_found_through_locals_resources_and_modules_that_install_nothing() {
    let release = |name: &str, more: &str| {
        format!(
            "resource \"helm_release\" \"{name}\" {{\n  name = \"{name}\"\n  chart = \"{name}\"\n  {more}\n}}\n"
        )
    };
    let main = [
        release("a", ""),
        "locals {\n  url = helm_release.a.metadata\n}\nresource \"null_resource\" \"between\" {\n  triggers = { url = local.url }\n}\nmodule \"vault\" {\n  source = \"./modules/vault\"\n  name = null_resource.between.id\n}\n".to_owned(),
        release("b", "namespace = module.vault.url"),
        release("c", "depends_on = [helm_release.b]"),
    ]
    .concat();
    let document = read(&[
        ("infra/main.tf", &main),
        ("infra/modules/vault/main.tf", VAULT),
    ]);
    assert_eq!(upstream(&document, "b"), ["a Terraform reference"]);
    assert_eq!(upstream(&document, "c"), ["b Terraform depends_on"]);
}

#[test]
fn modules_that_use_parts_of_each_other_are_no_circle() {
    let main = "module \"a\" {\n  source = \"example/a/aws\"\n  x = module.b.one\n}\nmodule \"b\" {\n  source = \"example/b/aws\"\n  version = \"1.2.0\"\n  y = module.a.two\n}\n";
    let document = read(&[("infra/main.tf", main)]);
    assert_eq!(ids(&document), ["infra"]);
    assert_eq!(upstream(&document, "infra"), [""; 0]);
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
fn a_dynamic_block_stands_for_as_many_as_its_elements() {
    let release = "locals {\n  more = { \"crds.enabled\" = \"true\", \"replicaCount\" = \"2\" }\n}\nresource \"helm_release\" \"web\" {\n  name = \"web\"\n  chart = \"web\"\n  dynamic \"set\" {\n    for_each = local.more\n    content {\n      name = set.key\n      value = set.value\n    }\n  }\n  dynamic \"set\" {\n    for_each = [{ at = \"a.b\", is = \"c\" }]\n    iterator = one\n    content {\n      name = one.value.at\n      value = one.value.is\n    }\n  }\n}\n";
    let document = read(&[("infra/main.tf", release)]);
    let web = component(&document, "web");
    assert_eq!(
        setting(web, "crds.enabled", "infra"),
        "true infra/main.tf:2"
    );
    assert_eq!(setting(web, "replicaCount", "infra"), "2 infra/main.tf:2");
    assert_eq!(setting(web, "a.b", "infra"), "c infra/main.tf:15");
    let main = "resource \"kubernetes_deployment\" \"web\" {\n  metadata {\n    name = \"web\"\n  }\n  spec {\n    template {\n      spec {\n        dynamic \"container\" {\n          for_each = toset([\"one\", \"two\"])\n          content {\n            name = container.key\n            image = \"registry.example.com/${container.value}:1.2.3\"\n          }\n        }\n      }\n    }\n  }\n}\n";
    let text = read(&[("infra/main.tf", main)]).to_string();
    for image in ["one:1.2.3", "two:1.2.3"] {
        let image = format!("registry.example.com/{image}");
        assert!(text.contains(&image), "{text}");
    }
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
    assert_eq!(
        setting(component(&document, "infra"), "module.vault.name", "infra"),
        "late infra/a_override.tf:2"
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
    assert_eq!(ids(&document), ["01-network-aws", "02-state-aws"]);
    let found = programs(&document);
    assert_eq!(
        found,
        ["stages/01-network/aws: -", "stages/02-state/aws: -"]
    );
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
    assert_eq!(
        setting(cache, "replicas", "terraform"),
        "3 values/cache.yaml:1"
    );
}
