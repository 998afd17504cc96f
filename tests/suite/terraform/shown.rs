//! What pages and documents show of modules, and what they never show.

use std::fs;

use super::{all_rules, component};
use crate::cli::{catalog, repo};
use crate::entry::read;
use crate::secret::each_file;

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

#[test]
fn the_page_of_a_program_lists_its_inputs_and_outputs() {
    let module = "variable \"size\" {\n  description = \"How | large.\"\n  type = object({\n    a = number # one\n    b = optional(string, \"x\")\n  })\n}\nvariable \"tags\" {\n  type    = map(string)\n  default = { team = \"shop\" }\n}\nvariable \"login\" {\n  default   = \"hunter2\"\n  sensitive = true\n}\noutput \"url\" {\n  description = \"Where <it> answers.\"\n  value       = 1\n}\noutput \"key\" {\n  value     = 2\n  sensitive = true\n}\n";
    let directory = repo(&[("vault/main.tf", module)]);
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
    let markdown = fs::read_to_string(directory.path().join("book/components/vault.md")).unwrap();
    for row in [
        "| `size` | How \\| large. | `object({ a = number, b = optional(string, \"x\") })` | required |",
        "| `tags` |  | `map(string)` | `{\"team\":\"shop\"}` |",
        "| `login` |  |  | (secret) |",
        "| `key` | (secret) |",
    ] {
        assert!(markdown.contains(row), "{row} is not in {markdown}");
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
