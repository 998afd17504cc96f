//! References of an object: by the field names that Kubernetes, charts and operators use, and by host names of services
//! inside any value.

use super::outside;
use crate::facts::{Reference, Relation, Resource, Statement, Target};
use crate::sources::values::is_off;
use base::Place;
use base::bytes;
use yaml::{Entry, Node, Value};

pub fn describe(resource: &Resource, statement: &mut Statement) {
    // A CRD's schema names such fields without meaning any object.
    if matches!(resource.id.kind.as_str(), "CustomResourceDefinition") {
        return;
    }
    let namespace = match resource.node.text_at(&["spec", "targetNamespace"]) {
        Some(target) if resource.id.kind == "HelmRelease" => target,
        _ => &resource.id.namespace,
    };
    let mut needs = Needs {
        namespace,
        references: &mut statement.references,
    };
    for entry in resource.node.entries() {
        if !matches!(entry.key.as_str(), "metadata" | "status") {
            needs.entry(entry);
        }
    }
    if let Some(metadata) = resource.node.get("metadata") {
        let annotations = metadata.entries_at("annotations");
        needs.annotations(annotations);
        let is_classless = resource.id.kind == "Ingress"
            && resource.node.at(&["spec", "ingressClassName"]).is_none();
        if is_classless {
            needs.controller(annotations);
        }
    }
}

struct Needs<'a> {
    namespace: &'a str,
    references: &'a mut Vec<Reference>,
}

impl Needs<'_> {
    fn entry(&mut self, entry: &Entry) {
        let value = &entry.value;
        if is_off(value) {
            return;
        }
        match entry.key.as_str() {
            // The server of the repository is needed to deploy anything at all.
            "repoURL" => return,
            // Most keys are shorter than any that is looked for here.
            key if key.len() < "secret".len() => self.bare_host(key, value),
            "secretKeyRef" | "secretRef" | "secret" => {
                self.named(Relation::Secret, "Secret", value)
            }
            "secretName" | "existingSecret" | "existingSecretName" => {
                self.text(Relation::Secret, "Secret", value)
            }
            "imagePullSecrets" => value
                .items()
                .iter()
                .for_each(|item| self.named(Relation::Secret, "Secret", item)),
            "configMapKeyRef" | "configMapRef" | "configMap" => {
                self.named(Relation::ConfigMap, "ConfigMap", value)
            }
            "existingConfigMap" | "configMapName" => {
                self.text(Relation::ConfigMap, "ConfigMap", value)
            }
            "claimName" | "existingClaim" => {
                self.text(Relation::Claim, "PersistentVolumeClaim", value)
            }
            "storageClassName" | "storageClass" => {
                self.text(Relation::StorageClass, "StorageClass", value)
            }
            "secretStoreRef" => self.kinded(Relation::SecretStore, "SecretStore", value),
            "secretStoreRefs" => value
                .items()
                .iter()
                .for_each(|item| self.kinded(Relation::SecretStore, "SecretStore", item)),
            "issuerRef" => self.kinded(Relation::Issuer, "Issuer", value),
            "ingressClassName" => self.text(Relation::Class, "IngressClass", value),
            "gatewayClassName" => self.text(Relation::Class, "GatewayClass", value),
            "parentRefs" => value
                .items()
                .iter()
                .for_each(|item| self.kinded(Relation::Gateway, "Gateway", item)),
            "backendRefs" => value
                .items()
                .iter()
                .for_each(|item| self.kinded(Relation::Backend, "Service", item)),
            key => self.bare_host(key, value),
        }
        self.login(&entry.key, value);
        self.node(value);
    }

    /// The public address of whoever signs users in, under a key that says so: `OIDC_ISSUER`, `oauth2.authUrl`.
    fn login(&mut self, key: &str, value: &Node) {
        let Some(text) = value.text().filter(|text| text.contains("://")) else {
            return;
        };
        if names_a_login(key) {
            let host = base::uri::host(text);
            if host.contains('.') && !host.contains(".svc") {
                self.add(
                    Relation::Login,
                    Target::Address { host: host.into() },
                    value.place,
                );
            }
        }
    }

    /// Annotations by which certificates and ingress classes are asked for.
    fn annotations(&mut self, annotations: &[Entry]) {
        for annotation in annotations {
            let value = &annotation.value;
            match annotation.key.as_str() {
                "cert-manager.io/cluster-issuer" => {
                    self.text(Relation::Issuer, "ClusterIssuer", value);
                }
                "cert-manager.io/issuer" => self.text(Relation::Issuer, "Issuer", value),
                "kubernetes.io/ingress.class" => self.text(Relation::Class, "IngressClass", value),
                _ => {}
            }
        }
    }

    /// The controller of an Ingress without a class, by the annotations that only this controller reads.
    fn controller(&mut self, annotations: &[Entry]) {
        const CONTROLLERS: &[(&str, &str)] = &[
            ("traefik.ingress.kubernetes.io/", "traefik"),
            ("nginx.ingress.kubernetes.io/", "nginx"),
            ("haproxy.org/", "haproxy"),
            ("haproxy-ingress.github.io/", "haproxy"),
            ("alb.ingress.kubernetes.io/", "alb"),
            ("konghq.com/", "kong"),
        ];
        if annotations
            .iter()
            .any(|one| one.key == "kubernetes.io/ingress.class")
        {
            return;
        }
        let found = annotations.iter().find_map(|annotation| {
            let mut known = CONTROLLERS.iter();
            let (_, class) = known.find(|(prefix, _)| annotation.key.starts_with(prefix))?;
            Some((annotation.value.place, *class))
        });
        if let Some((place, class)) = found {
            let target = Target::object("IngressClass", self.namespace, class);
            self.add(Relation::Class, target, place);
        }
    }

    fn node(&mut self, node: &Node) {
        match &node.value {
            Value::Map(map) => {
                let (mut name, mut value) = (None, None);
                for entry in &map.0 {
                    match entry.key.as_str() {
                        "name" => name = entry.value.text(),
                        "value" => value = Some(&entry.value),
                        _ => {}
                    }
                    self.entry(entry);
                }
                // `- name: DB_HOST` with `value: db`.
                if let (Some(name), Some(value)) = (name, value) {
                    self.bare_host(name, value);
                    self.login(name, value);
                }
            }
            Value::Seq(items) => {
                let on = items.iter().filter(|item| !is_off(item));
                on.for_each(|item| self.node(item));
            }
            Value::Scalar(scalar) => self.hosts(&scalar.text, node.place),
        }
    }

    fn add(&mut self, relation: Relation, target: Target, place: Place) {
        self.references.push(Reference {
            relation,
            target,
            place,
        });
    }

    /// `{name: x}`, possibly with a namespace.
    fn named(&mut self, relation: Relation, kind: &str, node: &Node) {
        if let Some(name) = node.get("name").filter(|name| name.text().is_some()) {
            let namespace = node.text_at(&["namespace"]).unwrap_or(self.namespace);
            let target = Target::object(kind, namespace, name.text().unwrap_or_default());
            self.add(relation, target, name.place);
        }
    }

    /// `{kind: y, name: x}`, where the kind has a default.
    fn kinded(&mut self, relation: Relation, default: &str, node: &Node) {
        let kind = node.text_at(&["kind"]).unwrap_or(default).to_owned();
        self.named(relation, &kind, node);
    }

    fn text(&mut self, relation: Relation, kind: &str, node: &Node) {
        if let Some(name) = node.text() {
            self.add(
                relation,
                Target::object(kind, self.namespace, name),
                node.place,
            );
        }
    }

    /// A value under a key such as `DB_HOST` may be the bare name of a service.
    fn bare_host(&mut self, key: &str, value: &Node) {
        if names_a_host(key)
            && let Some(text) = value.text()
        {
            self.host(text, value.place);
        }
    }

    /// Services named by URL, by `host:port`, or by their full name inside the cluster.
    fn hosts(&mut self, text: &str, place: Place) {
        // Most values are short words and numbers.
        let may_name_one = bytes::any(text.as_bytes(), |byte| byte == b':' || byte == b'.');
        if !may_name_one || !text.contains(':') && !text.contains(".svc") {
            return;
        }
        for (line, text) in (place.line..).zip(text.split('\n')) {
            let place = Place { line, ..place };
            self.hosts_in_line(text, place);
        }
    }

    fn hosts_in_line(&mut self, text: &str, place: Place) {
        for token in text.split(is_between_hosts) {
            if let Some(bucket) = outside::bucket(token) {
                self.add(Relation::Outside, bucket, place);
                continue;
            }
            let (after_scheme, has_scheme) = match token.rsplit_once("://") {
                Some((_, rest)) => (rest, true),
                None => (token, false),
            };
            let authority = after_scheme
                .split(['/', '?', '#'])
                .next()
                .unwrap_or_default();
            let authority = authority.rsplit('@').next().unwrap_or_default();
            let (host, port) = match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            };
            // Three digits and more: what follows the name of an image is mostly shorter.
            let is_port = |port: &str| {
                (3..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit())
            };
            if has_scheme || port.is_some_and(is_port) || host.contains(".svc") {
                self.host(host, place);
            }
        }
    }

    /// `db`, `db.shop` and `db.shop.svc.cluster.local` may all name the service `db`.
    fn host(&mut self, host: &str, place: Place) {
        let inside = match host.split_once(".svc") {
            Some((name, rest)) if rest.is_empty() || rest.starts_with('.') => name,
            Some(_) => return,
            None => host,
        };
        let is_label = |label: &str| {
            !label.is_empty()
                && label
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        let mut labels = inside.split('.').rev();
        let (service, namespace) = match (labels.next(), labels.next(), labels.next()) {
            (Some(service), None, _) => (service, self.namespace),
            // A pod of a StatefulSet comes before its service.
            (Some(namespace), Some(service), None) => (service, namespace),
            (Some(namespace), Some(service), Some(_)) if inside.len() < host.len() => {
                (service, namespace)
            }
            _ => return,
        };
        // Objects that state no namespace are in one, whatever it is called.
        let is_here = namespace.is_empty() && self.namespace.is_empty();
        if is_label(service)
            && (is_here || is_label(namespace))
            && service.bytes().any(|b| b.is_ascii_lowercase())
        {
            let target = Target::Host {
                service: service.into(),
                namespace: namespace.into(),
            };
            self.add(Relation::Service, target, place);
        }
    }
}

/// Whether a key names the address of an identity provider.
fn names_a_login(key: &str) -> bool {
    // Every key with an address is asked.
    let lower = key.to_ascii_lowercase();
    [
        "oidc", "openid", "oauth", "issuer", "sso", "saml", "jwks", "auth_url", "authurl",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// Whether a key ends in a word for a host. Every key is asked, so the words go by their last letter.
fn names_a_host(key: &str) -> bool {
    let words: &[&str] = match key.as_bytes().last().map(u8::to_ascii_lowercase) {
        Some(b't') => &["host", "endpoint"],
        Some(b'e') => &["hostname"],
        Some(b'r') => &["server", "addr"],
        Some(b's') => &["address"],
        Some(b'l') => &["url"],
        Some(b'i') => &["uri"],
        _ => return false,
    };
    words.iter().any(|word| {
        let start = key.len().checked_sub(word.len());
        let end = start.and_then(|start| key.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(word))
    })
}

fn is_between_hosts(c: char) -> bool {
    let quote = matches!(c, '"' | '\'' | '`');
    let bracket = matches!(c, '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}');
    c.is_whitespace() || quote || bracket || matches!(c, ',' | ';' | '|' | '=')
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::FileId;
    use yaml::parse;

    fn needs(text: &str) -> Vec<String> {
        let root = parse(text, FileId(0)).documents.remove(0).root;
        let resource = Resource::new(root).unwrap();
        let mut statement = Statement::default();
        describe(&resource, &mut statement);
        let shown = statement
            .references
            .iter()
            .map(|reference| match &reference.target {
                Target::Object {
                    kind,
                    namespace,
                    name,
                } => format!("{kind} {namespace}/{name}"),
                Target::Host { service, namespace } => format!("host {service}.{namespace}"),
                Target::Api { group, kind } => format!("api {group}/{kind}"),
                Target::Address { host } => format!("address {host}"),
                Target::Outside { service, name } => format!("{service} {name}"),
                Target::Behind { store, name } => format!("{} {name}", store.name),
            });
        shown.collect()
    }

    #[test]
    fn references_are_found_by_the_names_of_their_fields() {
        let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n}\nspec:\n  containers:\n    - envFrom: [{secretRef: {name: s}}, {configMapRef: {name: c}}]\n  volumes: [{secret: {secretName: t}}, {persistentVolumeClaim: {claimName: p}}]\n";
        assert_eq!(
            needs(text),
            [
                "Secret n/s",
                "ConfigMap n/c",
                "Secret n/t",
                "PersistentVolumeClaim n/p"
            ]
        );
    }

    #[test]
    fn services_are_found_inside_values() {
        let config = |value: &str| {
            needs(&format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, namespace: n}}\ndata: {{key: '{value}'}}\n"
            ))
        };
        assert_eq!(
            config("http://db.shop.svc.cluster.local:80/x,cache.shop.svc"),
            ["host db.shop", "host cache.shop"]
        );
        assert_eq!(config("db-0.db.shop.svc:5432"), ["host db.shop"]);
        assert_eq!(
            config("postgres://user@db:5432/x redis.cache:6379"),
            ["host db.n", "host redis.cache"]
        );
        for nothing in [
            "x.svcs",
            ".svc",
            "https://a.example.com/x",
            "nginx:1.25",
            "12:30:45",
            "::1",
            "a:b",
        ] {
            assert!(
                config(nothing).is_empty(),
                "{nothing}: {:?}",
                config(nothing)
            );
        }
    }

    #[test]
    fn what_is_switched_off_refers_to_nothing() {
        let release = |enabled: &str| {
            let text = format!(
                "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a, namespace: n}}\n\
                 spec:\n  values:\n    \
                 ingress: {{enabled: {enabled}, ingressClassName: nginx, tls: [{{secretName: t}}]}}\n    \
                 persistence: {{data: {{enabled: {enabled}, existingClaim: p}}}}\n    \
                 secret: {{enabled: {enabled}, name: s}}\n    \
                 sidecars: [{{enabled: {enabled}, url: 'http://db.shop.svc'}}]\n"
            );
            needs(&text)
        };
        assert_eq!(release("false"), [""; 0]);
        for on in ["true", "'false'"] {
            let expected = [
                "IngressClass n/nginx",
                "Secret n/t",
                "PersistentVolumeClaim n/p",
            ];
            let found = release(on);
            assert_eq!(found[..3], expected, "{on}");
            assert_eq!(found[3..5], ["Secret n/s", "host db.shop"], "{on}");
        }
    }

    #[test]
    fn a_bare_name_counts_where_the_key_says_host() {
        let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n}\nspec:\n  env: [{name: DB_HOST, value: db}, {name: MODE, value: db}]\n  dbHostname: other\n";
        assert_eq!(needs(text), ["host db.n", "host other.n"]);
    }
}
