//! Titles for people: `external-secrets-operator` is the External Secrets Operator.

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
    if let Some(word) = known(id) {
        return word.to_owned();
    }
    let words = id
        .split(['-', '_', '.', ' '])
        .filter(|word| !word.is_empty());
    let titled: Vec<String> = words.map(word).collect();
    titled.join(" ")
}

fn known(word: &str) -> Option<&'static str> {
    WORDS
        .iter()
        .find(|known| known.eq_ignore_ascii_case(word))
        .copied()
}

fn word(word: &str) -> String {
    if let Some(known) = known(word) {
        return known.to_owned();
    }
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
            ("external-dns", "External DNS"),
            ("cnpg-operator", "CNPG Operator"),
            ("cert-manager", "cert-manager"),
            ("cert-manager-webhook-ovh", "Cert Manager Webhook Ovh"),
            ("n8n", "n8n"),
            ("kube-prometheus-stack", "Kube Prometheus Stack"),
            ("postgresql", "PostgreSQL"),
            ("snapshot-crds", "Snapshot CRDs"),
        ] {
            assert_eq!(title(id), expected);
        }
    }
}
