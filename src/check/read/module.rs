//! Rules about Terraform.

use super::rule;
use crate::diagnostic::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "terraform-invalid": "A file of Terraform cannot be read.",
        does: "Reports a `*.tf`, `*.tofu` or `*.tfvars` file that is no valid HCL, or no JSON where its name ends in `.json`, is nested too deeply, or is larger than 2 MiB. The other files of its module are read.",
        bad: "Terraform refuses the whole module. In the catalogue, what the file declares is missing.",
        example: "hcl" "variable \"replicas\" {\n  default = [1\n}",
        fix: "Correct the file; `terraform validate` or `tofu validate` in its directory says more. A file that is not meant to be Terraform belongs into `ignore` in `catalog.toml`.",
    },
    rule! {
        Error "terraform-module-cycle": "A module calls itself, through others or directly.",
        does: "Reports a call whose local `source` leads to a module that led to the call.",
        bad: "Terraform would have to load modules without end, and refuses to.",
        example: "hcl" "# modules/network/main.tf\nmodule \"dns\" {\n  source = \"../dns\"\n}\n\n# modules/dns/main.tf\nmodule \"network\" {\n  source = \"../network\"\n}",
        fix: "Move what both need into a module of its own, and call that from both.",
    },
    rule! {
        Info "terraform-unfollowed": "Part of what Terraform makes is not known here.",
        does: "Reports where the files do not say enough: a `source` that is an expression, a `for_each` or `count` of a module or release that depends on what nobody here knows, or more objects than are read.",
        bad: "The catalogue shows the module or release once, or without what is in it. Components, edges and settings may be missing.",
        example: "hcl" "module \"team\" {\n  source   = \"./modules/team\"\n  for_each = data.http.teams.response_body\n}",
        fix: "Nothing to do if that is how it is meant to be. To see all of it, give the value in the files: as a default, a local or in a `*.tfvars` file.",
    },
    rule! {
        Info "terraform-terragrunt": "Terragrunt is not read.",
        does: "Reports once that there are `terragrunt.hcl` files.",
        bad: "What Terragrunt generates and the inputs that it gives are not part of the catalogue. Modules are shown where files of Terraform in this repository call them.",
        example: "hcl" "# live/prod/network/terragrunt.hcl\nterraform {\n  source = \"../../../modules/network\"\n}",
        fix: "Nothing to do. Set `terraform-terragrunt = \"off\"` below `[check.severity]` in `catalog.toml` to silence it.",
    },
];
