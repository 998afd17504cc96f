# What the clusters need of AWS and cannot make for themselves. Whoever changes it plans and applies it by hand, once for
# each environment: see README.md.

terraform {
  required_version = ">= 1.9"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
  }
  backend "s3" {}
}

provider "aws" {
  region = var.region
}

locals {
  prefix = "meridian-${var.environment}"
}

module "buckets" {
  source    = "./modules/buckets"
  prefix    = local.prefix
  names     = var.buckets
  keep_days = var.keep_days
}

# dev has none: its secrets are in LocalStack, which makes them itself.
module "secret_entries" {
  source = "./modules/secret-entries"
  count  = length(var.secret_entries) > 0 ? 1 : 0
  prefix = "meridian/${var.environment}"
  names  = var.secret_entries
}

# The role that the operator of secrets takes on.
resource "aws_iam_role" "external_secrets" {
  name               = "${local.prefix}-external-secrets"
  assume_role_policy = data.aws_iam_policy_document.external_secrets.json
}

data "aws_iam_policy_document" "external_secrets" {
  statement {
    actions = ["sts:AssumeRoleWithWebIdentity"]
    principals {
      type        = "Federated"
      identifiers = [var.oidc_provider]
    }
  }
}
