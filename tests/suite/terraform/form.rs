//! The JSON form of Terraform, which must say what the native one does.

use super::*;

#[test]
fn the_json_form_of_a_module_is_the_same_module() {
    let native = "variable \"domain\" {\n  type        = string\n  description = \"Where it answers.\"\n}\nlocals {\n  host = \"shop.${var.domain}\"\n}\nmodule \"vault\" {\n  source = \"./modules/vault\"\n  name   = \"kv\"\n}\nresource \"helm_release\" \"shop\" {\n  name       = \"shop\"\n  repository = \"https://charts.example.com\"\n  chart      = \"shop\"\n  version    = \"1.2.3\"\n  namespace  = kubernetes_namespace.shop.metadata[0].name\n  values     = [yamlencode({ host = local.host })]\n  set {\n    name  = \"ingress.class\"\n    value = \"edge\"\n  }\n  depends_on = [module.vault]\n}\nresource \"kubernetes_namespace\" \"shop\" {\n  metadata {\n    name = \"shop\"\n  }\n}\n";
    let json = r#"{
  "variable": {"domain": {"type": "string", "description": "Where it answers."}},
  "locals": {"host": "shop.${var.domain}"},
  "module": {"vault": {"source": "./modules/vault", "name": "kv"}},
  "resource": {
    "helm_release": {"shop": {
      "name": "shop",
      "repository": "https://charts.example.com",
      "chart": "shop",
      "version": "1.2.3",
      "namespace": "${kubernetes_namespace.shop.metadata[0].name}",
      "values": ["${yamlencode({ host = local.host })}"],
      "set": [{"name": "ingress.class", "value": "edge"}],
      "depends_on": ["module.vault"]
    }},
    "kubernetes_namespace": {"shop": {"metadata": {"name": "shop"}}}
  }
}"#;
    let both = [
        (
            "infra/main.tf",
            native,
            "infra/prod.tfvars",
            "domain = \"example.com\"\n",
        ),
        (
            "infra/main.tf.json",
            json,
            "infra/prod.tfvars.json",
            "{\"domain\": \"example.com\"}\n",
        ),
    ];
    let told = both.map(|(main, text, values, given)| {
        let document = read(&[
            (main, text),
            (values, given),
            ("infra/modules/vault/main.tf", VAULT),
        ]);
        assert_eq!(rules(&document), [""; 0]);
        let shop = component(&document, "shop");
        assert_eq!(shop["chart"]["version"], "1.2.3");
        assert_eq!(shop["namespace"], "shop");
        let settings = shop["settings"].as_array().unwrap().iter();
        let settings = settings.map(|setting| {
            let value = &setting["values"]["prod"]["value"];
            format!("{} {value}", setting["name"])
        });
        let settings: Vec<String> = settings.collect();
        let ids: Vec<String> = ids(&document).into_iter().map(str::to_owned).collect();
        (
            ids,
            upstream(&document, "shop"),
            settings,
            clusters(&document).join(" "),
        )
    });
    assert_eq!(told[0], told[1]);
    assert_eq!(told[0].1, [""; 0]);
    assert!(
        told[0]
            .2
            .contains(&"\"host\" \"shop.example.com\"".to_owned()),
        "{:?}",
        told[0].2
    );
}
