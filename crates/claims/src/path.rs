//! Paths among the code of a sentence.

/// Whether code in a sentence is a path of the repo rather than a command, a key or an address.
pub fn looks_like_path(code: &str) -> bool {
    let code = code.trim();
    let is_plain = !code.is_empty()
        && !code.contains(|c: char| c.is_whitespace() || "<>{}$*|\"'`()=,;?!@".contains(c))
        && !code.contains("://")
        && !code.contains(':')
        && !code.starts_with(['/', '-', '~'])
        && !code.starts_with("..");
    let has_ending = || {
        let name = code.rsplit('/').next().unwrap_or_default();
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        ending.is_some_and(|ending| FILE_ENDINGS.contains(&ending))
    };
    is_plain && (code.ends_with('/') || has_ending() || code.contains('/') && !code.contains('.'))
}

const FILE_ENDINGS: &[&str] = &[
    "md",
    "yaml",
    "yml",
    "json",
    "toml",
    "tf",
    "tfvars",
    "hcl",
    "env",
    "sh",
    "txt",
    "rs",
    "go",
    "py",
    "ts",
    "tsx",
    "js",
    "jsx",
    "mjs",
    "cjs",
    "css",
    "html",
    "sql",
    "tpl",
    "tmpl",
    "lock",
    "ini",
    "conf",
    "cfg",
    "properties",
    "xml",
    "svg",
    "png",
    "cue",
    "jsonnet",
    "libsonnet",
    "rego",
    "proto",
    "j2",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_other_code() {
        for path in [
            "infra/main.tf",
            "k8s/external-secrets/",
            "README.md",
            ".sdd/a.md",
            "docs/adr",
        ] {
            assert!(looks_like_path(path), "{path}");
        }
        for other in [
            "kubectl get pods",
            "crds: CreateReplace",
            "https://a.b/c.md",
            "module.x.y",
            "k8s/*.yaml",
            "/api/x",
            "spec.values",
            "<a>/b.md",
            "ghcr.io/a/b",
        ] {
            assert!(!looks_like_path(other), "{other}");
        }
    }
}
