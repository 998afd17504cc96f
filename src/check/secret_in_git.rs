//! `secret-in-git`: a secret value that everybody with access to the repo can read.

use std::collections::BTreeMap;

use super::{Check, Scene, wording};
use crate::diagnostic::{FileId, Finding, Rule, Severity};
use crate::fact::PlainSecret;
use crate::hash::HashSet;

pub struct SecretInGit;

pub static RULE: Rule = Rule {
    name: "secret-in-git",
    severity: Severity::Warning,
    summary: "A secret stands in the repository unencrypted.",
    about: r#"
## What it does

Looks for plain values in Secrets and in secrets that kustomize generates, and for passwords, access tokens and private
keys in any manifest, in files that kustomize generates objects from, in stacks and programs of Pulumi, and in files of Terraform: values, defaults, locals and arguments.
What is encrypted, taken from elsewhere (`${…}`), or plainly a placeholder such as `changeme` is not reported. The value itself is never shown, here or anywhere else: it is dropped as the file is read.

## Why is this bad

Whoever can read the repository, one of its clones or a backup of it can use the secret, for as long as the history
exists. Deleting the line does not help.

## Example

```yaml
apiVersion: v1
kind: Secret
metadata:
  name: db
stringData:
  password: correct-horse-battery
```

## Fix

Change the secret where it is used, as it is known now. Then keep it in a store that the cluster reads (an
ExternalSecret), or encrypt it in Git (SOPS, a SealedSecret).
"#,
};

impl Check for SecretInGit {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn check(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let mut by_holder: BTreeMap<(FileId, &Option<_>), Vec<&PlainSecret>> = BTreeMap::new();
        for secret in &scene.inventory.plain_secrets {
            let key = (secret.place.file, &secret.holder);
            by_holder.entry(key).or_default().push(secret);
        }
        let findings = by_holder.into_iter().map(|((_, holder), mut secrets)| {
            secrets.sort_by_key(|secret| secret.place);
            let mut seen: HashSet<&str> = HashSet::default();
            let first = secrets.iter().filter(|secret| seen.insert(&secret.key));
            let keys: Vec<String> = first.map(|secret| secret.key.to_string()).collect();
            let of = holder.as_ref().map(|holder| format!(" of {holder}"));
            let message = format!(
                "{}{} can be read by everybody who can read this repository",
                wording::listed(&keys),
                of.unwrap_or_default()
            );
            let mut finding = Finding::warning(RULE.name, secrets[0].place, message).help(
                "change it where it is used, then keep it in a secret store or encrypt it; if it is a placeholder, call it `placeholder`",
            );
            for secret in wording::some(&secrets[1..]) {
                finding = finding.note(secret.place, format!("`{}`", secret.key));
            }
            finding
        });
        findings.collect()
    }
}
