//! Which chart brings which API groups, where its CRDs come with it or are made when it runs.

/// A chart by name, and the groups whose kinds exist once it is installed.
const CHARTS: &[(&str, &[&str])] = &[
    (
        "external-secrets",
        &["external-secrets.io", "generators.external-secrets.io"],
    ),
    ("cert-manager", &["cert-manager.io", "acme.cert-manager.io"]),
    ("trust-manager", &["trust.cert-manager.io"]),
    ("kube-prometheus-stack", &["monitoring.coreos.com"]),
    ("prometheus-operator-crds", &["monitoring.coreos.com"]),
    (
        "victoria-metrics-operator",
        &["operator.victoriametrics.com"],
    ),
    (
        "victoria-metrics-k8s-stack",
        &["operator.victoriametrics.com"],
    ),
    ("cloudnative-pg", &["postgresql.cnpg.io"]),
    ("plugin-barman-cloud", &["barmancloud.cnpg.io"]),
    ("cilium", &["cilium.io"]),
    ("metallb", &["metallb.io"]),
    ("longhorn", &["longhorn.io"]),
    (
        "traefik",
        &["traefik.io", "traefik.containo.us", "hub.traefik.io"],
    ),
    ("traefik-crds", &["traefik.io", "hub.traefik.io"]),
    (
        "base",
        &[
            "networking.istio.io",
            "security.istio.io",
            "telemetry.istio.io",
            "extensions.istio.io",
        ],
    ),
    (
        "istio-base",
        &[
            "networking.istio.io",
            "security.istio.io",
            "telemetry.istio.io",
            "extensions.istio.io",
        ],
    ),
    ("keda", &["keda.sh", "eventing.keda.sh"]),
    (
        "crossplane",
        &[
            "apiextensions.crossplane.io",
            "pkg.crossplane.io",
            "secrets.crossplane.io",
        ],
    ),
    (
        "kyverno",
        &["kyverno.io", "policies.kyverno.io", "reports.kyverno.io"],
    ),
    (
        "gateway-helm",
        &["gateway.envoyproxy.io", "gateway.networking.k8s.io"],
    ),
    (
        "gateway-crds-helm",
        &["gateway.envoyproxy.io", "gateway.networking.k8s.io"],
    ),
    ("rook-ceph", &["ceph.rook.io", "objectbucket.io"]),
    (
        "strimzi-kafka-operator",
        &["kafka.strimzi.io", "core.strimzi.io"],
    ),
    ("grafana-operator", &["grafana.integreatly.org"]),
    ("flagger", &["flagger.app"]),
    ("volsync", &["volsync.backube"]),
    ("sealed-secrets", &["bitnami.com"]),
    ("argo-cd", &["argoproj.io"]),
    ("argo-workflows", &["argoproj.io"]),
    ("argo-rollouts", &["argoproj.io"]),
    ("argo-events", &["argoproj.io"]),
    ("dragonfly-operator", &["dragonflydb.io"]),
    ("mariadb-operator", &["k8s.mariadb.com"]),
    ("mysql-operator", &["mysql.oracle.com"]),
    ("velero", &["velero.io"]),
    ("vault-secrets-operator", &["secrets.hashicorp.com"]),
    ("tailscale-operator", &["tailscale.com"]),
    ("external-dns", &["externaldns.k8s.io"]),
    ("snapshot-controller", &["snapshot.storage.k8s.io"]),
    ("k8s-gateway", &[]),
    ("opentelemetry-operator", &["opentelemetry.io"]),
    ("flux-operator", &["fluxcd.controlplane.io"]),
    (
        "gatekeeper",
        &[
            "templates.gatekeeper.sh",
            "constraints.gatekeeper.sh",
            "config.gatekeeper.sh",
        ],
    ),
    ("actions-runner-controller", &["actions.summerwind.dev"]),
    ("gha-runner-scale-set-controller", &["actions.github.com"]),
    ("node-feature-discovery", &["nfd.k8s-sigs.io"]),
    ("intel-device-plugins-operator", &["deviceplugin.intel.com"]),
    ("multus", &["k8s.cni.cncf.io"]),
    ("kubevirt", &["kubevirt.io"]),
    ("litellm-operator", &["litellm.home-operations.com"]),
    ("redis-operator", &["redis.redis.opstreelabs.in"]),
    ("zalando-postgres-operator", &["acid.zalan.do"]),
    ("postgres-operator", &["acid.zalan.do"]),
    (
        "eck-operator",
        &["elasticsearch.k8s.elastic.co", "kibana.k8s.elastic.co"],
    ),
    ("nack", &["jetstream.nats.io"]),
];

/// Charts of controllers, and the names that their classes go by unless told otherwise.
const CLASSES: &[(&str, &[&str])] = &[
    ("traefik", &["traefik"]),
    ("ingress-nginx", &["nginx"]),
    ("nginx-ingress", &["nginx"]),
    ("cilium", &["cilium"]),
    ("kong", &["kong"]),
    ("ingress", &["kong"]),
    ("haproxy-ingress", &["haproxy"]),
    ("kubernetes-ingress", &["haproxy"]),
    ("contour", &["contour"]),
    ("gateway-helm", &["envoy", "envoy-gateway", "eg"]),
    ("istiod", &["istio"]),
    ("aws-load-balancer-controller", &["alb"]),
    ("tailscale-operator", &["tailscale"]),
    (
        "cloudflare-tunnel-ingress-controller",
        &["cloudflare-tunnel"],
    ),
];

/// The classes that a chart serves; nothing for one that is not known.
pub fn classes(chart: &str) -> &'static [&'static str] {
    CLASSES
        .iter()
        .find(|(name, _)| *name == chart)
        .map(|(_, classes)| *classes)
        .unwrap_or_default()
}

/// The groups that a chart of this name brings; nothing for one that is not known.
pub fn api_groups(chart: &str) -> &'static [&'static str] {
    CHARTS
        .iter()
        .find(|(name, _)| *name == chart)
        .map(|(_, groups)| *groups)
        .unwrap_or_default()
}

/// Charts that serve an admission webhook for groups of theirs, with the value that switches it off, if there is one.
const WEBHOOKS: &[(&str, &[&str], Option<&str>)] = &[
    (
        "external-secrets",
        &["external-secrets.io"],
        Some("webhook.create"),
    ),
    (
        "cert-manager",
        &["cert-manager.io", "acme.cert-manager.io"],
        None,
    ),
    ("trust-manager", &["trust.cert-manager.io"], None),
    (
        "kube-prometheus-stack",
        &["monitoring.coreos.com"],
        Some("prometheusOperator.admissionWebhooks.enabled"),
    ),
    ("cloudnative-pg", &["postgresql.cnpg.io"], None),
    ("metallb", &["metallb.io"], None),
    ("longhorn", &["longhorn.io"], None),
    ("keda", &["keda.sh"], Some("webhooks.enabled")),
    ("kyverno", &["kyverno.io"], None),
];

/// The groups whose objects a chart's webhook admits, and the value that switches the webhook off.
pub fn webhook(chart: &str) -> Option<(&'static [&'static str], Option<&'static str>)> {
    let known = WEBHOOKS.iter().find(|(name, ..)| *name == chart)?;
    Some((known.1, known.2))
}
