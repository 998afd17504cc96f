//! Titles for people: `external-secrets-operator` is the External Secrets Operator.

use std::sync::LazyLock;

use base::hash::HashMap;

/// Words that are not simply capitalised.
const WORDS: &[&str] = &[
    "API",
    "AI",
    "AWS",
    "CA",
    "CDN",
    "CI",
    "CIDR",
    "CLI",
    "CNI",
    "CNPG",
    "CPU",
    "CRD",
    "CRDs",
    "CSI",
    "DB",
    "DHCP",
    "DNS",
    "EKS",
    "ESO",
    "FTP",
    "GCP",
    "GKE",
    "GPU",
    "HA",
    "HTTP",
    "HTTPS",
    "IAM",
    "ID",
    "IO",
    "IP",
    "IPAM",
    "IoT",
    "JWT",
    "K3s",
    "K8s",
    "KEDA",
    "LB",
    "LDAP",
    "LLM",
    "MCP",
    "ML",
    "MQTT",
    "MTU",
    "NATS",
    "NFS",
    "NVMe",
    "OAuth",
    "OAuth2",
    "OCI",
    "OIDC",
    "OPA",
    "OTel",
    "PDF",
    "PVC",
    "QA",
    "RAM",
    "RBAC",
    "REST",
    "RSS",
    "S3",
    "SMB",
    "SMTP",
    "SNMP",
    "SOPS",
    "SQL",
    "SSD",
    "SSH",
    "SSL",
    "SSO",
    "TCP",
    "TLS",
    "TTS",
    "TV",
    "UDP",
    "UI",
    "UPS",
    "URL",
    "USB",
    "UUID",
    "VM",
    "VPN",
    "VNC",
    "WAF",
    "YAML",
    "ZFS",
    "ACME",
    "ARC",
    "CPA",
    "DDNS",
    "EBS",
    "EFS",
    "ECR",
    "ACR",
    "AKS",
    "IDP",
    "ISO",
    "MTLS",
    "OCP",
    "ODBC",
    "PKI",
    "SCIM",
    "SRE",
    "ArgoCD",
    "CloudNativePG",
    "CoreDNS",
    "ClickHouse",
    "CockroachDB",
    "CouchDB",
    "ExternalDNS",
    "FluxCD",
    "GitHub",
    "GitLab",
    "GitOps",
    "GraphQL",
    "HAProxy",
    "IngressRoute",
    "InfluxDB",
    "JupyterHub",
    "LiteLLM",
    "LocalStack",
    "MariaDB",
    "MetalLB",
    "MinIO",
    "MongoDB",
    "MySQL",
    "NetBox",
    "OpenBao",
    "OpenEBS",
    "OpenSearch",
    "OpenTelemetry",
    "OpenWebUI",
    "PgAdmin",
    "PgBouncer",
    "PostgreSQL",
    "PowerDNS",
    "RabbitMQ",
    "RedisInsight",
    "ScyllaDB",
    "SeaweedFS",
    "SigNoz",
    "SonarQube",
    "TimescaleDB",
    "VictoriaMetrics",
    "VictoriaLogs",
    "VolSync",
    "WireGuard",
    "cAdvisor",
    "cert-manager",
    "etcd",
    "n8n",
    "oauth2-proxy",
    "kube-vip",
    "kured",
    "k8tz",
    "AdGuard",
    "PiHole",
    "qBittorrent",
    "SABnzbd",
    "ESPHome",
    "ZigBee2MQTT",
    "Zigbee2MQTT",
    "NocoDB",
    "FreshRSS",
    "TrueNAS",
    "UniFi",
];

pub fn title(id: &str) -> String {
    let words: Vec<&str> = id
        .split(['-', '_', '.', ' '])
        .filter(|word| !word.is_empty())
        .collect();
    let words = without_echo(&words);
    let mut titled: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        // Names such as CloudNativePG may be written in several words.
        let longest = (1..=3.min(words.len() - at)).rev();
        let known = longest
            .into_iter()
            .find_map(|count| Some((count, known(&words[at..at + count])?)));
        match known {
            Some((count, word)) => {
                titled.push(word.to_owned());
                at += count;
            }
            None => {
                titled.push(capitalised(words[at]));
                at += 1;
            }
        }
    }
    titled.join(" ")
}

/// Without a beginning that is written twice, as in `keycloak-keycloak`: a namespace, and what it is named after.
fn without_echo<'w, 'a>(words: &'w [&'a str]) -> &'w [&'a str] {
    let lengths = (1..=words.len() / 2).rev();
    let mut echoes = lengths.filter(|length| words[..*length] == words[*length..2 * length]);
    echoes.next().map_or(words, |length| &words[length..])
}

/// A word that is spelt in a way of its own, whichever way it is written here.
fn known(words: &[&str]) -> Option<&'static str> {
    static SPELT: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
        let mut spelt = HashMap::default();
        for word in WORDS {
            spelt.entry(letters(&[word])).or_insert(*word);
        }
        spelt
    });
    SPELT.get(&letters(words)).copied()
}

fn letters(words: &[&str]) -> String {
    let letters = words.iter().flat_map(|word| word.chars());
    let letters = letters.filter(|c| *c != '-');
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_titles_that_people_write() {
        for (id, expected) in [
            ("external-secrets-operator", "External Secrets Operator"),
            ("external-dns", "ExternalDNS"),
            ("cnpg-operator", "CNPG Operator"),
            ("cert-manager", "cert-manager"),
            ("cert-manager-webhook-ovh", "cert-manager Webhook Ovh"),
            ("cloudnative-pg", "CloudNativePG"),
            ("n8n", "n8n"),
            ("kube-prometheus-stack", "Kube Prometheus Stack"),
            ("postgresql", "PostgreSQL"),
            ("snapshot-crds", "Snapshot CRDs"),
            ("keycloak-keycloak", "Keycloak"),
            ("keycloak-keycloak-redis", "Keycloak Redis"),
            (
                "kube-state-metrics-kube-state-metrics",
                "Kube State Metrics",
            ),
            ("redis-backup-redis", "Redis Backup Redis"),
        ] {
            assert_eq!(title(id), expected);
        }
    }
}
