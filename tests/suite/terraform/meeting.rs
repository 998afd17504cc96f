//! Programs beside the clusters: what is there because of them, what they create that others use, and in which order.

use serde_json::Value;

use super::{all_rules, clusters, operator, programs, upstream};
use crate::entry::read;

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
    let apps = upstream(&document, "apps");
    assert!(
        apps.contains(&"external-secrets needs its CRD".to_owned()),
        "{apps:?}"
    );
    assert!(
        apps.contains(&"terraform uses its secret store".to_owned()),
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
    let apps = upstream(&document, "apps");
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
    const USES: &str = "cloud uses cloud resources it provisions";
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
        let edges = upstream(&document, "apps");
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
        let edges = upstream(&document, "apps");
        assert!(!edges.contains(&USES.to_owned()), "{main}: {edges:?}");
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
    let programs = document["programs"].as_array().unwrap();
    let units = programs[0]["units"].as_array().unwrap();
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
    assert_eq!(clusters(&document), [""; 0]);
    let units = document["programs"][0]["units"].as_array().unwrap();
    let shop = units.iter().find(|unit| unit["name"] == "shop").unwrap();
    assert_eq!(shop["owner"], "terraform/delivery");
}

#[test]
fn the_directory_that_terraform_has_flux_start_from_is_a_cluster() {
    let sync = crate::entry::unit("web", "./apps/web", "");
    let web = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  namespace: web\n";
    let instance = "resource \"helm_release\" \"instance\" {\n  name = \"flux\"\n  repository = \"oci://ghcr.io/controlplaneio-fluxcd/charts\"\n  chart = \"flux-instance\"\n  version = \"0.20.0\"\n  set {\n    name = \"instance.sync.path\"\n    value = \"fleet/${var.environment}\"\n  }\n}\n";
    let forms = [
        "resource \"flux_bootstrap_git\" \"this\" {\n  path = \"./fleet/${var.environment}\"\n}\n",
        instance,
    ];
    for form in forms {
        let main = format!("variable \"environment\" {{}}\n{form}");
        let document = read(&[
            ("infra/main.tf", main.as_str()),
            ("infra/dev.tfvars", "environment = \"dev\"\n"),
            ("infra/prod.tfvars", "environment = \"prod\"\n"),
            ("infra/far.tfvars", "environment = \"far\"\n"),
            ("fleet/prod/units/web.yaml", &sync),
            ("fleet/dev/units/web.yaml", &sync),
            ("fleet/far/README.md", "# Nothing\n"),
            ("apps/web/map.yaml", web),
        ]);
        let roots = document["clusters"].as_array().unwrap().iter();
        let roots = roots.map(|cluster| format!("{} {}", cluster["name"], cluster["root"]));
        let roots: Vec<String> = roots.collect();
        assert_eq!(roots, ["\"dev\" \"fleet/dev\"", "\"prod\" \"fleet/prod\""]);
        assert_eq!(programs(&document), ["infra: far"]);
    }
}

#[test]
fn a_definition_comes_from_the_release_that_has_it_switched_on_and_an_object_waits_by_itself() {
    let release = |name: &str, is_on: &str| {
        format!(
            "resource \"helm_release\" \"{name}\" {{\n  name = \"{name}\"\n  repository = \"https://charts.jetstack.io\"\n  chart = \"cert-manager\"\n  namespace = \"kube-system\"\n  set {{\n    name = \"installCRDs\"\n    value = \"{is_on}\"\n  }}\n}}\n"
        )
    };
    let issuer = "resource \"kubectl_manifest\" \"issuer\" {\n  depends_on = [helm_release.cert-manager]\n  yaml_body = <<-EOT\n    apiVersion: cert-manager.io/v1\n    kind: ClusterIssuer\n    metadata: {name: self}\n  EOT\n}\n";
    let main = release("cert-manager", "false") + &release("definitions", "true") + issuer;
    let document = read(&[("infra/main.tf", &main)]);
    assert_eq!(
        upstream(&document, "infra"),
        [
            "cert-manager Terraform depends_on",
            "definitions needs its CRD"
        ]
    );
    // Where the definition comes from elsewhere, the release still acts on it.
    let main = release("cert-manager", "false") + issuer;
    let document = read(&[("infra/main.tf", &main)]);
    assert_eq!(
        upstream(&document, "infra"),
        [
            "cert-manager Terraform depends_on",
            "cert-manager reconciled by its controller"
        ]
    );
}
