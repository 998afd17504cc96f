variable "environment" {
  description = "The environment, as its cluster is called."
  type        = string
}

variable "region" {
  description = "Where everything is, as in base/environment.env."
  type        = string
  default     = "eu-west-1"
}

variable "oidc_provider" {
  description = "The address of the cluster's own identity provider, without which no role can be taken on."
  type        = string
}

variable "buckets" {
  description = "What to keep in buckets, by name."
  type        = list(string)
}

variable "keep_days" {
  description = "How long a bucket keeps what was overwritten or deleted."
  type        = number
  default     = 7
}

variable "secret_entries" {
  description = "Entries of Secrets Manager, below the name of the environment. Their values are put in by hand."
  type        = list(string)
  default     = []
}
