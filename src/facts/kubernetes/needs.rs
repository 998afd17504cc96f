//! References of an object: by the field names that Kubernetes, charts and operators use, and by host names of services
//! inside any value.

mod words;

use super::outside;
use crate::facts::values::is_off;
use crate::facts::values::route::is_route;
use crate::facts::{Reference, Relation, Resource, Statement, Target};
use base::Place;
use base::bytes;
use base::hash::HashSet;
use words::{
    bare, called_with_token, calls_an_address, is_between_hosts, is_interface_path, is_login_path,
    is_way_back, names_a_host, names_a_login,
};
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

/// The references that values of a chart make, which its release has in a namespace: those that a statement lacks.
pub fn of_values(values: &Node, statement: &mut Statement) {
    let release = statement.unit.as_ref();
    let release = release.and_then(|unit| unit.release.as_ref());
    let namespace = match release {
        Some(release) if !release.target_namespace.is_empty() => release.target_namespace.clone(),
        _ => statement.id.namespace.clone(),
    };
    let known = statement.references.iter();
    let mut known: HashSet<(Relation, Target)> = known
        .map(|reference| (reference.relation, reference.target.clone()))
        .collect();
    let mut references = below(values, &namespace);
    references.retain(|one| known.insert((one.relation, one.target.clone())));
    statement.references.append(&mut references);
}

/// The references that a node makes in an object of a namespace.
pub fn below(node: &Node, namespace: &str) -> Vec<Reference> {
    let mut references = Vec::new();
    let mut needs = Needs {
        namespace,
        references: &mut references,
    };
    needs.node(node);
    references
}

/// Whether an annotation is one of those that refer to something.
#[derive(PartialEq, Eq)]
enum Read {
    Whole,
    Not,
}

struct Needs<'a> {
    namespace: &'a str,
    references: &'a mut Vec<Reference>,
}

impl Needs<'_> {
    fn entry(&mut self, entry: &Entry) {
        let value = &entry.value;
        if is_off(value) || entry.key.contains('/') && self.annotation(entry) == Read::Whole {
            return;
        }
        match entry.key.as_str() {
            // The server of the repository is needed to deploy anything at all.
            "repoURL" => return,
            "csi" => {
                if let Some(driver) = value.get("driver") {
                    self.text(Relation::Driver, "CSIDriver", driver);
                }
            }
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
            "configMapKeyRef" => self.named(Relation::ConfigMapKey, "ConfigMap", value),
            "configMapRef" | "configMap" => self.named(Relation::ConfigMap, "ConfigMap", value),
            "existingConfigMap" | "configMapName" => {
                self.text(Relation::ConfigMap, "ConfigMap", value)
            }
            "claimName" | "existingClaim" => {
                self.text(Relation::Claim, "PersistentVolumeClaim", value)
            }
            "storageClassName" | "storageClass" => {
                self.text(Relation::StorageClass, "StorageClass", value)
            }
            "provisioner" => self.text(Relation::Driver, "CSIDriver", value),
            "deviceClassName" => self.text(Relation::Device, "DeviceClass", value),
            "limits" => self.devices(value),
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
            key if is_route(key) => self.class_of_route(value, 0),
            key => self.bare_host(key, value),
        }
        self.login(&entry.key, value);
        self.node(value);
    }

    /// The class that values of a chart give to an ingress, or to each of several: `ingress.className`.
    fn class_of_route(&mut self, route: &Node, depth: usize) {
        for entry in route.entries() {
            match entry.key.as_str() {
                "className" | "ingressClass" | "class" => {
                    self.text(Relation::Class, "IngressClass", &entry.value);
                }
                _ if depth == 0 && !is_off(&entry.value) => {
                    self.class_of_route(&entry.value, depth + 1);
                }
                _ => {}
            }
        }
    }

    /// Devices that a container asks for, such as `nvidia.com/gpu`: resources that Kubernetes does not know itself.
    fn devices(&mut self, limits: &Node) {
        for entry in limits.entries() {
            if entry.key.contains('/') {
                let target = Target::object("DeviceClass", "", &entry.key);
                self.add(Relation::Device, target, entry.value.place);
            }
        }
    }

    /// The public address of whoever signs users in, under a key that says so: `OIDC_ISSUER`, `oauth2.authUrl`.
    fn login(&mut self, key: &str, value: &Node) {
        let Some(text) = value.text().filter(|text| text.contains("://")) else {
            return;
        };
        if calls_an_address(key) {
            let host = base::uri::host(text);
            self.add(
                Relation::Service,
                Target::Address { host: host.into() },
                value.place,
            );
        }
        if names_a_login(key) && !is_way_back(key) && !is_way_back(text) {
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
            self.annotation(annotation);
        }
    }

    fn annotation(&mut self, annotation: &Entry) -> Read {
        let value = &annotation.value;
        match annotation.key.as_str() {
            "cert-manager.io/cluster-issuer" => {
                self.text(Relation::Issuer, "ClusterIssuer", value);
            }
            "cert-manager.io/issuer" => self.text(Relation::Issuer, "Issuer", value),
            // The controller asks this service whether to let a request in.
            "nginx.ingress.kubernetes.io/auth-url" => self.proxy(value),
            "kubernetes.io/ingress.class" => self.text(Relation::Class, "IngressClass", value),
            _ => return Read::Not,
        }
        Read::Whole
    }

    fn proxy(&mut self, url: &Node) {
        let before = self.references.len();
        self.hosts(url.text().unwrap_or_default(), url.place);
        for reference in &mut self.references[before..] {
            reference.relation = Relation::Proxy;
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
                // `- name: SHOP_API_TOKEN` with a Secret: who has a token for `shop` calls it.
                if let Some(called) = name.filter(|_| value.is_none()).and_then(called_with_token)
                    && let Some(secret) = node.at(&["valueFrom", "secretKeyRef"])
                {
                    self.host(&called, secret.place);
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

    /// A value under a key such as `DB_HOST` may be the bare name of a service. Longer ports are found in any value.
    fn bare_host(&mut self, key: &str, value: &Node) {
        if names_a_host(key)
            && let Some(text) = value.text()
        {
            let is_port = |port: &str| port.len() < 3 && port.bytes().all(|b| b.is_ascii_digit());
            let host = match text.split_once(':') {
                Some((host, port)) if is_port(port) => host,
                _ => text,
            };
            self.host(host, value.place);
        }
    }

    /// Services named by URL, by `host:port`, or by their full name inside the cluster.
    fn hosts(&mut self, text: &str, place: Place) {
        // Most values are short words and numbers.
        let may_name_one = bytes::any(text.as_bytes(), |byte| byte == b':' || byte == b'.');
        if !may_name_one || !text.contains(':') && !text.contains(".svc") {
            return;
        }
        let is_file = text.contains('\n');
        for (line, text) in (place.line..).zip(text.split('\n')) {
            let place = Place { line, ..place };
            self.hosts_in_line(text, place);
            // `DB_HOST=db` and `"Host": "db",` in a file.
            if is_file
                && let Some((key, value)) = text.split_once(['=', ':'])
                && names_a_host(bare(key))
            {
                self.host(bare(value), place);
            }
        }
    }

    fn hosts_in_line(&mut self, text: &str, place: Place) {
        for token in text.split(is_between_hosts) {
            if let Some(bucket) = outside::bucket(token) {
                self.add(Relation::Outside, bucket, place);
                continue;
            }
            let (after_scheme, has_scheme) = match token.rsplit_once("://") {
                // `dns:///cart.shop:9090`: who resolves the name is left open.
                Some((_, rest)) => (rest.trim_start_matches('/'), true),
                None => (token, false),
            };
            let authority = after_scheme
                .split(['/', '?', '#'])
                .next()
                .unwrap_or_default();
            let authority = authority.rsplit('@').next().unwrap_or_default();
            // `main:cache.shop.svc:6379:0`: a list of fields, of which one is a host.
            let named = authority.split(':').find(|field| field.contains(".svc"));
            if let Some(host) = named {
                self.host(host, place);
                continue;
            }
            let (host, port) = match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            };
            // Three digits and more: what follows the name of an image is mostly shorter.
            let is_port = |port: &str| {
                (3..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit())
            };
            if has_scheme && host.contains('.') && is_login_path(after_scheme) {
                self.add(
                    Relation::Login,
                    Target::Address { host: host.into() },
                    place,
                );
            }
            if has_scheme && host.contains('.') && is_interface_path(after_scheme) {
                self.add(
                    Relation::Service,
                    Target::Address { host: host.into() },
                    place,
                );
            }
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

#[cfg(test)]
mod tests;
