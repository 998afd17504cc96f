#!/bin/bash
# Every entry that dev needs, made anew whenever LocalStack starts: it keeps nothing.
# A password follows from the name of its entry. It is the same after every start, so a database does not notice one.
set -eu

derive() {
  printf '%s' "$1" | sha256sum | cut -c 1-32
}

put() {
  # Flux fills in the environment; what has no braces is for the shell.
  awslocal secretsmanager create-secret --name "meridian/${ENVIRONMENT}/$1" --secret-string "$2"
}

login() {
  put "$1" "{\"username\": \"$2\", \"password\": \"$(derive "$1")\"}"
}

login postgres/catalogue catalogue
login postgres/checkout checkout
login postgres/keycloak keycloak
login postgres/newsletter newsletter
login postgres/report report
login redis default
login keycloak admin
login grafana admin
login smtp reports
put search "{\"master-key\": \"$(derive search/master)\", \"write-key\": \"$(derive search/write)\"}"
# The sandbox of the payment provider takes any key that begins like this.
put payments "{\"api-key\": \"sandbox-$(derive payments)\"}"
