//! The pods of a component as commands name them: its workloads, labels that select its pods and no others, and the
//! objects that route requests to them.

use smol_str::{SmolStr, format_smolstr};

use super::case::Placeholders;
use crate::catalog::Component;
use crate::facts::Workload;

/// Labels that tell the pods of one application from those of others, the most telling first.
const TELLING: &[&str] = &[
    "app.kubernetes.io/instance",
    "app.kubernetes.io/name",
    "app.kubernetes.io/component",
    "app.kubernetes.io/controller",
    "k8s-app",
    "app",
    "name",
    "component",
    "tier",
];

/// More labels than these say no more.
const MOST_LABELS: usize = 3;

/// Workloads whose pods are replaced step by step.
const ROLLED_OUT: &[&str] = &["Deployment", "StatefulSet", "DaemonSet"];

/// Kinds that route requests from outside, each with the name by which `kubectl` finds it among kinds of the same name.
const ROUTES: &[(&str, &str, &str)] = &[
    ("networking.k8s.io", "Ingress", "ingress"),
    ("gateway.networking.k8s.io", "HTTPRoute", "httproute"),
    ("gateway.networking.k8s.io", "GRPCRoute", "grpcroute"),
    ("traefik.io", "IngressRoute", "ingressroutes.traefik.io"),
    (
        "traefik.containo.us",
        "IngressRoute",
        "ingressroutes.traefik.containo.us",
    ),
    ("networking.istio.io", "VirtualService", "virtualservice"),
    ("projectcontour.io", "HTTPProxy", "httpproxy"),
    ("route.openshift.io", "Route", "routes.route.openshift.io"),
];

/// Each workload that keeps pods running: `workload`, `namespace`, `selector` if its labels are known, and `where`, which
/// names its environments unless it is in all of them.
pub fn workloads(component: &Component) -> Vec<Placeholders> {
    let workloads = component.workloads.iter().enumerate();
    let running = workloads.filter(|(_, workload)| ROLLED_OUT.contains(&workload.kind.as_str()));
    let names = running.filter_map(|(at, workload)| {
        let mut names: Placeholders = vec![
            ("workload", name(workload)),
            ("namespace", namespace(component, workload)?),
            ("where", environments(component, at)),
        ];
        names.extend(selector(workload).map(|selector| ("selector", selector)));
        Some(names)
    });
    names.collect()
}

/// How to list the pods of a component: `pods.namespace` with `pods.selector`, or `all.namespace` if no labels are known.
pub fn selectors(component: &Component) -> Vec<Placeholders> {
    let workloads = component.workloads.iter();
    let mut all: Vec<Placeholders> = Vec::new();
    for workload in workloads {
        let namespace = namespace(component, workload);
        let (Some(namespace), Some(selector)) = (namespace, selector(workload)) else {
            continue;
        };
        let names = vec![("pods.namespace", namespace), ("pods.selector", selector)];
        if !all.contains(&names) {
            all.push(names);
        }
    }
    if all.is_empty() && !component.namespace.is_empty() {
        all.push(vec![("all.namespace", component.namespace.clone())]);
    }
    all
}

/// Objects that route requests (`route`), the Services behind them (`service`) and the pods behind those, each with its
/// `namespace`; and the addresses (`url`).
pub fn routes(component: &Component) -> Vec<Placeholders> {
    let resources = component.resources.iter();
    let routes: Vec<Placeholders> = resources
        .clone()
        .filter_map(|resource| {
            let known = ROUTES
                .iter()
                .find(|(group, kind, _)| resource.id.is(group, kind))?;
            let route = format_smolstr!("{}/{}", known.2, resource.id.name);
            Some(vec![
                ("route", route),
                ("namespace", resource.id.namespace.clone()),
            ])
        })
        .collect();
    if routes.is_empty() {
        return routes;
    }
    let services = resources.filter(|resource| resource.id.is("", "Service"));
    let services = services.map(|resource| {
        vec![
            ("service", resource.id.name.clone()),
            ("namespace", resource.id.namespace.clone()),
        ]
    });
    let urls = component.urls.iter();
    let urls = urls.filter(|url| url.starts_with("https://") && !url.contains(['*', '$', '{']));
    let urls = urls.map(|url| vec![("url", SmolStr::from(url.as_str()))]);
    routes
        .into_iter()
        .chain(services)
        .chain(urls)
        .chain(workloads(component))
        .collect()
}

/// `deployment/web`.
fn name(workload: &Workload) -> SmolStr {
    format_smolstr!("{}/{}", workload.kind.to_ascii_lowercase(), workload.name)
}

fn namespace(component: &Component, workload: &Workload) -> Option<SmolStr> {
    let own = Some(&workload.namespace).filter(|namespace| !namespace.is_empty());
    let namespace = own.unwrap_or(&component.namespace);
    (!namespace.is_empty()).then(|| namespace.clone())
}

/// The environments that have a workload, in brackets, if others do not have it.
fn environments(component: &Component, at: usize) -> SmolStr {
    let stated = component.per_environment.replicas.get(at);
    let own: Vec<&str> = stated
        .into_iter()
        .flatten()
        .map(|stated| stated.environment.as_str())
        .collect();
    if own.is_empty() || own.len() >= component.environments.len() {
        // A space stands for nothing: an empty value would omit the line.
        return SmolStr::new_static(" ");
    }
    format_smolstr!(" (only in {})", own.join(", "))
}

/// Labels that the pods of a workload have in every environment.
fn selector(workload: &Workload) -> Option<SmolStr> {
    let value = |key: &str| {
        let mut values = workload.labels.iter().filter(|(own, _)| own == key);
        let (_, value) = values.next()?;
        // With another value elsewhere, it would select nothing there.
        let is_known = !value.is_empty() && !value.contains(['$', '{', '<', ' ', ',']);
        (is_known && values.next().is_none()).then_some(value)
    };
    let labels = TELLING.iter().filter_map(|key| Some((*key, value(key)?)));
    let labels: Vec<(&str, &SmolStr)> = labels.take(MOST_LABELS).collect();
    // `tier` or `component` alone may be on pods of others, too.
    let is_telling = labels
        .iter()
        .any(|(key, _)| !matches!(*key, "component" | "tier" | "app.kubernetes.io/component"));
    if !is_telling {
        return None;
    }
    let labels: Vec<String> = labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    Some(labels.join(",").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled(labels: &[(&str, &str)]) -> Workload {
        let labels = labels
            .iter()
            .map(|(key, value)| ((*key).into(), (*value).into()));
        Workload {
            kind: "Deployment".into(),
            name: "web".into(),
            namespace: "shop".into(),
            replicas: None,
            images: Vec::new(),
            containers: Vec::new(),
            limits: Vec::new(),
            probes: Vec::new(),
            labels: labels.collect(),
        }
    }

    #[test]
    fn labels_select_only_if_they_are_telling_and_the_same_everywhere() {
        let found =
            |labels: &[(&str, &str)]| selector(&labelled(labels)).map(|text| text.to_string());
        assert_eq!(
            found(&[("app", "web"), ("team", "a")]).as_deref(),
            Some("app=web")
        );
        let standard = [
            ("app.kubernetes.io/name", "web"),
            ("app.kubernetes.io/instance", "shop"),
            ("pod-template", "x"),
        ];
        assert_eq!(
            found(&standard).as_deref(),
            Some("app.kubernetes.io/instance=shop,app.kubernetes.io/name=web")
        );
        assert_eq!(found(&[("app", "web"), ("app", "web2")]), None);
        assert_eq!(found(&[("tier", "front")]), None);
        assert_eq!(found(&[("app", "${APP}")]), None);
        assert_eq!(found(&[]), None);
    }
}
