#!/bin/sh
# Prints the section of a version in CHANGELOG.md, which must have a date: `## 0.1.0 - 2026-11-18`.
#
#   sh ci/release-notes.sh VERSION [CHANGELOG]
set -eu
version=$1
changelog=${2:-$(dirname "$0")/../CHANGELOG.md}
notes=$(awk -v start="## $version - " '
  /^## / { inside = index($0, start) == 1 && substr($0, length(start) + 1) ~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/; next }
  inside' "$changelog")
if [ -z "$(printf '%s' "$notes" | tr -d '[:space:]')" ]; then
  echo "CHANGELOG.md has no section \"## $version - YYYY-MM-DD\" with entries" >&2
  exit 1
fi
printf '%s\n' "$notes" | sed '1{/^$/d;}'
