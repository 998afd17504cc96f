//! Secrets that register a cluster with Argo CD. The cluster's name and address are not secret, and say where
//! Applications go; the credentials beside them are.

use yaml::{Node, decode_base64};

const LABEL: &str = "argocd.argoproj.io/secret-type";
const OPEN: &[&str] = &["name", "server"];

/// Whether an object registers a cluster.
pub fn is_of_cluster(root: &Node) -> bool {
    root.text_at(&["kind"]) == Some("Secret") && is_template_of_cluster(root)
}

/// Whether a template of a Secret registers a cluster.
pub fn is_template_of_cluster(template: &Node) -> bool {
    template.text_at(&["metadata", "labels", LABEL]) == Some("cluster")
}

/// The name or address that a template of such a Secret states. Data of a template are plain text; anything that is
/// filled in later is not known.
pub fn stated_in_template(template: &Node, key: &str) -> Option<String> {
    let written = template.text_at(&["data", key])?;
    (OPEN.contains(&key) && is_plain(written)).then(|| written.to_owned())
}

/// The name or address that a Secret registering a cluster has under `key`. Anything else is left out, as it may
/// contain credentials.
pub fn stated(root: &Node, key: &str) -> Option<String> {
    let written = root
        .text_at(&["stringData", key])
        .map(str::to_owned)
        .or_else(|| decoded(root.text_at(&["data", key])?));
    written.filter(|text| OPEN.contains(&key) && is_plain(text))
}

/// Whether a value in such a Secret need not be sealed.
pub fn is_open(field: &str, key: &str, value: &Node) -> bool {
    let text = match (field, value.text()) {
        ("data", Some(text)) => decoded(text),
        (_, text) => text.map(str::to_owned),
    };
    OPEN.contains(&key) && text.is_some_and(|text| is_plain(&text))
}

fn decoded(text: &str) -> Option<String> {
    let joined: String = text.split_whitespace().collect();
    String::from_utf8(decode_base64(&joined)?).ok()
}

fn is_plain(text: &str) -> bool {
    let mut bytes = text.bytes();
    !text.is_empty()
        && text.len() <= 253
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;
    use base::FileId;
    use base::MARKER;
    use yaml;

    fn sealed(label: &str, data: &str) -> (Node, usize) {
        let text = format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: a, labels: {{{label}}}}}\n{data}\n"
        );
        let mut root = yaml::parse(&text, FileId(0)).documents.remove(0).root;
        let plain = seal(&mut root);
        (root, plain.len())
    }

    const CLUSTER: &str = "argocd.argoproj.io/secret-type: cluster";

    #[test]
    fn the_name_and_address_of_a_cluster_stay_and_how_to_get_in_does_not() {
        let data = "stringData: {name: prod, server: 'https://prod.example.org:6443', config: '{\"bearerToken\": \"abcdefgh12345678\"}', project: a}";
        let (root, plain) = sealed(CLUSTER, data);
        assert_eq!(stated(&root, "name").as_deref(), Some("prod"));
        let server = stated(&root, "server");
        assert_eq!(server.as_deref(), Some("https://prod.example.org:6443"));
        for key in ["config", "project"] {
            assert_eq!(root.text_at(&["stringData", key]), Some(MARKER), "{key}");
            assert_eq!(stated(&root, key), None, "{key}");
        }
        assert_eq!(plain, 1);
        let encoded = "data: {name: cHJvZA==, server: aHR0cHM6Ly8xLjIuMy40, config: e30=}";
        let (root, _) = sealed(CLUSTER, encoded);
        assert_eq!(stated(&root, "name").as_deref(), Some("prod"));
        assert_eq!(stated(&root, "server").as_deref(), Some("https://1.2.3.4"));
        assert_eq!(root.text_at(&["data", "config"]), Some(MARKER));
    }

    #[test]
    fn an_address_with_credentials_in_it_is_secret() {
        let data = "stringData: {name: prod, server: 'https://admin:hunter2@prod.example.org'}";
        let (root, _) = sealed(CLUSTER, data);
        assert_eq!(root.text_at(&["stringData", "server"]), Some(MARKER));
        assert_eq!(stated(&root, "server"), None);
    }

    #[test]
    fn any_other_secret_is_sealed_whole() {
        for label in ["argocd.argoproj.io/secret-type: repository", "app: web"] {
            let (root, _) = sealed(label, "stringData: {name: prod, server: a}");
            for key in ["name", "server"] {
                assert_eq!(root.text_at(&["stringData", key]), Some(MARKER));
            }
        }
    }
}
