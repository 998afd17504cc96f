//! Types of variables: what they add to a value that leaves something out.

use super::{component, ids, setting};
use crate::entry::{read, rules};

/// Releases for all apps that are on, which they are unless they say otherwise.
const MAIN: &str = r#"
variable "apps" {
  type = map(object({
    enabled = optional(bool, true)
    version = string
    image   = optional(object({
      tag  = optional(string, "latest")
      pull = optional(string)
    }), {})
  }))
}

resource "helm_release" "app" {
  for_each         = { for name, app in var.apps : name => app if app.enabled }
  name             = each.key
  namespace        = "apps"
  create_namespace = true
  repository       = "https://charts.example.com"
  chart            = each.key
  version          = each.value.version
  values = [yamlencode({
    tag  = each.value.image.tag
    pull = coalesce(each.value.image.pull, "Always")
  })]
}
"#;

const APPS: &str = "apps = {\n  podinfo = { version = \"6.7.0\" }\n  whoami  = { version = \"5.1.0\", enabled = false }\n  web     = { version = \"1.0.0\", enabled = null, image = { tag = \"v1\" } }\n}\n";

#[test]
fn an_attribute_that_is_left_out_has_the_default_of_its_type() {
    let document = read(&[("infra/main.tf", MAIN), ("infra/prod.auto.tfvars", APPS)]);
    assert_eq!(ids(&document), ["infra", "podinfo", "web"]);
    assert_eq!(rules(&document), [""; 0]);
    let values = |id: &str| {
        let settings = component(&document, id)["settings"].as_array().unwrap();
        let told = settings.iter().map(|setting| {
            let values = setting["values"].as_object().unwrap().values();
            let values: Vec<&str> = values.map(|it| it["value"].as_str().unwrap()).collect();
            format!("{}={}", setting["name"].as_str().unwrap(), values.join(","))
        });
        told.collect::<Vec<String>>()
    };
    assert_eq!(values("podinfo"), ["pull=Always", "tag=latest"]);
    assert_eq!(values("web"), ["pull=Always", "tag=v1"]);
    assert_eq!(component(&document, "podinfo")["chart"]["version"], "6.7.0");
}

#[test]
fn a_type_in_json_is_the_text_of_one() {
    let variable = r#"{"variable": {"size": {"type": "object({ big = optional(bool, false) })", "default": {}}}}"#;
    let main = "module \"m\" {\n  source = \"./m\"\n  big = var.size.big\n}\n";
    let document = read(&[
        ("infra/variables.tf.json", variable),
        ("infra/main.tf", main),
        ("infra/m/main.tf", "variable \"big\" {}\n"),
    ]);
    let infra = component(&document, "infra");
    let big = setting(infra, "module.m.big", "infra");
    assert!(big.starts_with("false "), "{big}");
}

#[test]
fn a_type_of_many_attributes_and_a_list_of_many_objects_end() {
    let attributes: String = (0..3_000)
        .map(|nth| format!("    a{nth} = optional(string, \"x\")\n"))
        .collect();
    let objects = "{}, ".repeat(4_000);
    let main = format!(
        "variable \"all\" {{\n  type = list(object({{\n{attributes}  }}))\n  default = [{objects}]\n}}\n"
    );
    let started = std::time::Instant::now();
    let document = read(&[("infra/main.tf", &main)]);
    assert_eq!(rules(&document), ["terraform-unfollowed"]);
    assert!(started.elapsed().as_secs() < 60);
}

#[test]
fn a_release_whose_name_nobody_knows_is_called_like_its_module() {
    let main = "module \"cache\" {\n  source = \"./chart\"\n  name   = data.x.y.name\n}\n";
    let chart = "variable \"name\" {}\nresource \"helm_release\" \"this\" {\n  name  = var.name\n  chart = var.name\n}\n";
    let document = read(&[("infra/main.tf", main), ("infra/chart/main.tf", chart)]);
    let units = crate::entry::units(&document);
    assert!(!units.contains(&"this".to_owned()), "{units:?}");
    assert!(ids(&document).contains(&"cache"), "{:?}", ids(&document));
}
