environment   = "prod"
oidc_provider = "arn:aws:iam::444455556666:oidc-provider/oidc.example.com/prod"
buckets       = ["logs", "postgres-backups"]
keep_days     = 35
secret_entries = [
  "grafana",
  "keycloak",
  "payments",
  "postgres/catalogue",
  "postgres/checkout",
  "postgres/keycloak",
  "postgres/newsletter",
  "postgres/report",
  "redis",
  "search",
  "smtp",
]
