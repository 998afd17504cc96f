//! Programs apart from clusters: which runs belong where, and what the instances of a module are.

use super::{clusters, component, ids, operator, programs, setting, upstream};
use crate::entry::read;

#[test]
fn instances_of_a_module_refer_to_the_instance_with_their_own_key() {
    let chart = "variable \"name\" {}\nvariable \"after\" {\n  default = \"\"\n}\nresource \"helm_release\" \"this\" {\n  name = var.name\n  chart = \"web\"\n}\noutput \"id\" {\n  value = var.name\n}\n";
    let main = "module \"db\" {\n  source = \"./chart\"\n  for_each = toset([\"x\", \"y\"])\n  name = \"db-${each.key}\"\n}\nmodule \"app\" {\n  source = \"./chart\"\n  for_each = toset([\"x\", \"y\"])\n  name = \"app-${each.key}\"\n  after = module.db[each.key].id\n}\n";
    let document = read(&[("infra/main.tf", main), ("infra/chart/main.tf", chart)]);
    assert_eq!(upstream(&document, "app-x"), ["db-x Terraform reference"]);
    assert_eq!(upstream(&document, "app-y"), ["db-y Terraform reference"]);
}

#[test]
fn instances_that_run_nothing_are_one_component() {
    let volume = "variable \"name\" {}\nvariable \"class\" {}\nresource \"kubernetes_persistent_volume\" \"pv\" {\n  metadata {\n    name = var.name\n  }\n}\n";
    let main = "module \"volume\" {\n  source = \"./volume\"\n  for_each = toset([\"x\", \"y\"])\n  name = each.key\n  class = \"fast\"\n}\n";
    let document = read(&[("infra/main.tf", main), ("infra/volume/main.tf", volume)]);
    assert_eq!(ids(&document), ["volume"]);
    let volume = component(&document, "volume");
    let resources = volume["resources"].as_array().unwrap().iter();
    let names: Vec<&str> = resources.map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["x", "y", "infra/volume"]);
    assert_eq!(setting(volume, "class", "infra"), "fast infra/main.tf:5");
    assert_eq!(setting(volume, "[x].name", "infra"), "x infra/main.tf:3");
}

#[test]
fn files_of_values_on_a_shelf_that_roots_share_name_their_root() {
    let main = "variable \"size\" {\n  default = 1\n}\nvariable \"zone\" {\n  default = \"a\"\n}\nresource \"aws_vpc\" \"this\" {}\n";
    let document = read(&[
        ("terraform/deployments/network/main.tf", main),
        ("terraform/deployments/dns/main.tf", main),
        ("terraform/variables/staging/network.tfvars", "size = 2\n"),
        ("terraform/variables/prod/network.tfvars", "size = 3\n"),
        (
            "terraform/variables/prod/common.tfvars",
            "zone = \"b\"\nsize = 9\n",
        ),
        ("macos/main.tf", main),
        ("macos/atlantis.tfvars", "size = 4\n"),
        ("build/main.tf", main),
        ("build/terraform.canary.tfvars", "size = 5\n"),
        ("build/terraform.prod.tfvars", "size = 6\n"),
    ]);
    assert_eq!(clusters(&document), [""; 0]);
    assert_eq!(
        programs(&document),
        [
            "build: canary prod",
            "macos: -",
            "dns: -",
            "network: prod staging"
        ]
    );
    let network = component(&document, "network");
    assert_eq!(
        setting(network, "size", "prod"),
        "3 terraform/variables/prod/network.tfvars:1"
    );
    assert_eq!(
        setting(network, "zone", "prod"),
        "b terraform/variables/prod/common.tfvars:1"
    );
    let macos = component(&document, "macos");
    assert_eq!(setting(macos, "size", "macos"), "4 macos/atlantis.tfvars:1");
}

#[test]
fn a_program_that_installs_into_a_cluster_of_its_name_belongs_to_it() {
    let sync = crate::entry::unit("web", "./apps/web", "");
    let web = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  namespace: web\n";
    let gotk = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: flux-system\n  namespace: flux-system\nspec:\n  path: ./clusters/main\n  prune: true\n  sourceRef:\n    kind: GitRepository\n    name: flux-system\n";
    let cloud = "resource \"aws_vpc\" \"this\" {}\n";
    let found = |main: &str| {
        let document = read(&[
            ("clusters/main/flux-system/gotk-sync.yaml", gotk),
            ("clusters/main/web.yaml", &sync),
            ("apps/web/map.yaml", web),
            ("terraform/main/main.tf", main),
        ]);
        let clusters: Vec<String> = clusters(&document).into_iter().map(str::to_owned).collect();
        (clusters, programs(&document))
    };
    let named = vec!["main".to_owned()];
    assert_eq!(found(&operator("")), (named.clone(), vec![]));
    assert_eq!(found(cloud), (named, vec!["main: -".to_owned()]));
}

#[test]
fn the_namespace_of_an_object_is_not_that_of_a_program_that_runs_nothing_there() {
    let main = "variable \"where\" {\n  default = \"default\"\n}\nresource \"kubernetes_service_account\" \"auth\" {\n  metadata {\n    name = \"auth\"\n    namespace = var.where\n  }\n}\n";
    let document = read(&[("vault/main.tf", main)]);
    assert_eq!(component(&document, "vault")["namespace"], "");
}

#[test]
fn a_module_that_terragrunt_runs_is_no_program_beside_others() {
    let vpc = "resource \"aws_vpc\" \"this\" {}\n";
    let document = read(&[
        (
            "units/network/terragrunt.hcl",
            "terraform {\n  source = \"../../../.././/stock/network\"\n}\n",
        ),
        ("infra/stock/network/main.tf", vpc),
        ("state/main.tf", vpc),
    ]);
    assert_eq!(programs(&document), ["state: -"]);
}
