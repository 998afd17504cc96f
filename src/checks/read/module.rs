//! Rules about Terraform.

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "terraform-invalid": "A Terraform file cannot be parsed.",
        does: "Checks for `*.tf`, `*.tofu` and `*.tfvars` files that are not valid HCL (or JSON, if the name ends in \
               `.json`), are nested too deeply, or are larger than 2 MiB. The other files of the module are read.",
        bad: "Terraform rejects the whole module. Everything the file declares is missing from the catalogue.",
        example: "hcl" "variable \"replicas\" {\n  default = [1\n}",
        fix: "Correct the file. `terraform validate` or `tofu validate` in its directory gives details. If the file is \
              not Terraform, add it to `ignore` in `catalog.toml`.",
    },
    rule! {
        Error "terraform-module-cycle": "A module calls itself, directly or through other modules.",
        does: "Checks for module calls whose local `source` leads back to a module that is already being loaded.",
        bad: "Terraform refuses to load the modules.",
        example: "hcl" "# modules/network/main.tf\nmodule \"dns\" {\n  source = \"../dns\"\n}\n\n# modules/dns/main.tf\nmodule \"network\" {\n  source = \"../network\"\n}",
        fix: "Move what both need into a third module, and call that from both.",
    },
    rule! {
        Info "terraform-unfollowed": "Part of a Terraform module cannot be evaluated.",
        does: "Checks for values that the files do not determine: a `source` that is an expression, a `for_each` or \
               `count` of a module or release that depends on data from outside the repository, or more objects than \
               the limit.",
        bad: "The module or release is shown once, or without its content. Components, edges and settings may be \
              missing from the catalogue.",
        example: "hcl" "module \"team\" {\n  source   = \"./modules/team\"\n  for_each = data.http.teams.response_body\n}",
        fix: "No action needed. To show everything, set the value in the repository: as a default, a local, or in a \
              `*.tfvars` file.",
    },
    rule! {
        Info "terraform-terragrunt": "Terragrunt files are not read.",
        does: "Reports once that the repository contains `terragrunt.hcl` files.",
        bad: "Code that Terragrunt generates and the inputs it passes are missing from the catalogue. Modules are \
              shown if Terraform files in this repository call them.",
        example: "hcl" "# live/prod/network/terragrunt.hcl\nterraform {\n  source = \"../../../modules/network\"\n}",
        fix: "No action needed. To turn this off, set `terraform-terragrunt = \"off\"` under `[check.severity]` in \
              `catalog.toml`.",
    },
];
