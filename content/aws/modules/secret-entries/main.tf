variable "prefix" {
  description = "What the name of every entry begins with."
  type        = string
}

variable "names" {
  description = "The rest of each name."
  type        = list(string)
}

# Only the entries: a value in here would be in the state, for everybody to read.
resource "aws_secretsmanager_secret" "this" {
  for_each                = toset(var.names)
  name                    = "${var.prefix}/${each.key}"
  recovery_window_in_days = 30
}

output "arns" {
  description = "The entries, for the role that may read them."
  value       = [for entry in aws_secretsmanager_secret.this : entry.arn]
}
