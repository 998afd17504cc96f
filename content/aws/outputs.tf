output "external_secrets_role" {
  description = "What the service account of the External Secrets Operator is annotated with."
  value       = aws_iam_role.external_secrets.arn
}
