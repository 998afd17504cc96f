environment   = "dev"
oidc_provider = "arn:aws:iam::111122223333:oidc-provider/oidc.example.com/dev"
buckets       = ["logs"]
