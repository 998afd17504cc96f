variable "prefix" {
  description = "What the name of every bucket begins with."
  type        = string
}

variable "names" {
  description = "The rest of each name."
  type        = list(string)
}

variable "keep_days" {
  description = "After how many days an old version is deleted."
  type        = number
}

resource "aws_s3_bucket" "this" {
  for_each = toset(var.names)
  bucket   = "${var.prefix}-${each.key}"
}

resource "aws_s3_bucket_versioning" "this" {
  for_each = toset(var.names)
  bucket   = aws_s3_bucket.this[each.key].id
  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "this" {
  for_each = toset(var.names)
  bucket   = aws_s3_bucket.this[each.key].id
  rule {
    id     = "old-versions"
    status = "Enabled"
    noncurrent_version_expiration {
      noncurrent_days = var.keep_days
    }
  }
}

output "arns" {
  description = "The buckets, by the rest of their names, for the roles that may write to them."
  value       = { for name, bucket in aws_s3_bucket.this : name => bucket.arn }
}
