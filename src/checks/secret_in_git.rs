//! `secret-in-git`: a secret that anyone with access to the repository can read.

use std::collections::BTreeMap;

use super::{Check, CheckContext, wording};
use crate::facts::PlainSecret;
use crate::input::repo::RepoPath;
use base::hash::HashSet;
use base::{FileId, Finding, Rule, Security, Severity};

pub struct SecretInGit;

pub static RULE: Rule = Rule {
    name: "secret-in-git",
    severity: Severity::Warning,
    skips_input: false,
    security: Some(Security {
        score: 8.0,
        cwe: 312,
    }),
    summary: "A secret is stored in the repository in plain text.",
    about: r#"
## What it does

Checks for plain-text values in Secrets and in Secrets that kustomize generates. Also checks for passwords, access tokens and
private keys in:

- any manifest;
- files that kustomize generates objects from;
- Pulumi stacks and programs;
- Terraform files: values, defaults, locals and arguments.

Values that are encrypted, taken from elsewhere (`${…}`) or obvious placeholders such as `changeme` are not reported. The value
itself is never shown, here or anywhere else: it is dropped when the file is read.

Two kinds are infos: values that anybody can guess (a default, a common word, the name of the user), and all secrets below
directories of tests, examples and demos.

## Why is this bad?

Anyone who can read the repository, a clone or a backup can use the secret, for as long as the history exists. Deleting the
line does not help.

## Example

```yaml
apiVersion: v1
kind: Secret
metadata:
  name: db
stringData:
  password: correct-horse-battery
```

## How to fix it

Rotate the secret first, because it is exposed. Then keep it in a secret store that the cluster reads (an ExternalSecret), or
encrypt it in Git (SOPS or a SealedSecret).
"#,
};

const ROTATE_ONE: &str = "rotate it, then keep it in a secret store or encrypt it; if it is only a placeholder, set it to `placeholder`";
const ROTATE_ALL: &str = "rotate them, then keep them in a secret store or encrypt them; if they are only placeholders, set them to `placeholder`";

const GENERATE: &str = "if it protects anything, generate one and keep it in a secret store; if it is only a placeholder, set it to `placeholder`";

/// Whether nobody runs what is in a file but to try it.
fn is_for_trial(path: &RepoPath) -> bool {
    const NAMES: &[&str] = &[
        "demo",
        "demos",
        "e2e",
        "example",
        "examples",
        "experiments",
        "sample",
        "samples",
        "sandbox",
        "test",
        "testdata",
        "tests",
        "workshop",
        "workshops",
    ];
    let mut directories = path.as_str().split('/');
    directories.any(|part| NAMES.contains(&part) || part == "local" || part.starts_with("local-"))
}

impl Check for SecretInGit {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, context: &CheckContext<'_>) -> Vec<Finding> {
        let mut by_holder: BTreeMap<(FileId, &Option<_>), Vec<&PlainSecret>> = BTreeMap::new();
        for secret in &context.inventory.plain_secrets {
            let key = (secret.place.file, &secret.holder);
            by_holder.entry(key).or_default().push(secret);
        }
        let findings = by_holder.into_iter().map(|((file, holder), mut secrets)| {
            secrets.sort_by_key(|secret| secret.place);
            let path = context.repo.path(file);
            let is_guessable = secrets.iter().all(|secret| secret.is_guessable);
            // Those that matter come first.
            secrets.sort_by_key(|secret| secret.is_guessable);
            let mut seen: HashSet<&str> = HashSet::default();
            let first = secrets.iter().filter(|secret| seen.insert(&secret.key));
            let keys: Vec<String> = first.map(|secret| secret.key.to_string()).collect();
            let place = holder.as_ref().map(|holder| format!(" in {holder}"));
            let what = format!("{}{}", wording::listed(&keys), place.unwrap_or_default());
            let (message, help) = match (is_guessable, keys.len()) {
                (true, 1) => (format!("{what} has a value that anybody can guess"), GENERATE),
                (true, _) => (format!("{what} have values that anybody can guess"), GENERATE),
                (false, 1) => (
                    format!("{what} is stored in plain text: anyone with access to this repository can read it"),
                    ROTATE_ONE,
                ),
                (false, _) => (
                    format!("{what} are stored in plain text: anyone with access to this repository can read them"),
                    ROTATE_ALL,
                ),
            };
            let severity = if is_guessable || is_for_trial(path) {
                Severity::Info
            } else {
                Severity::Warning
            };
            let mut finding =
                Finding::new(RULE.name, severity, secrets[0].place, message).help(help);
            for secret in wording::some(&secrets[1..]) {
                finding = finding.note(secret.place, format!("`{}`", secret.key));
            }
            let in_holder = holder.as_ref().map(ToString::to_string).unwrap_or_default();
            for secret in &secrets {
                let name = format_args!("{in_holder} {}", secret.key);
                finding = finding.covers(secret.place, name);
            }
            // Several objects of one file that have the same keys are copies of one.
            finding.cause(format_args!("{path} {}", keys.join(" ")))
        });
        findings.collect()
    }
}
