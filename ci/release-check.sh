#!/bin/sh
# Refuses a release whose tag, version, changelog and repository do not agree.
#
#   sh ci/release-check.sh TAG REPOSITORY_URL [DIRECTORY]
set -eu
tag=$1
repository=$2
root=${3:-$(dirname "$0")/..}
here=$(dirname "$0")
wrong=0

complain() {
  echo "release: $*" >&2
  wrong=1
}

value() {
  sed -n "s|^$1 = \"\(.*\)\"\$|\1|p" "$root/Cargo.toml" | sed -n 1p
}

version=$(value version)
[ "$tag" = "v$version" ] || complain "the tag is $tag, but Cargo.toml has version $version"
grep -A 1 '^name = "catalog"$' "$root/Cargo.lock" | grep -q "^version = \"$version\"\$" ||
  complain "Cargo.lock does not have version $version; run cargo check and commit it"
[ "$(value repository)" = "$repository" ] ||
  complain "Cargo.toml has repository $(value repository), but this is $repository; run ci/set-repository OWNER/NAME"
sh "$here/release-notes.sh" "$version" "$root/CHANGELOG.md" > /dev/null || complain "the changelog is not ready"
unreleased=$(awk '/^## / { inside = $0 == "## Unreleased"; next } inside && NF' "$root/CHANGELOG.md")
[ -z "$unreleased" ] || complain "CHANGELOG.md has entries under Unreleased; move them to $version"
exit $wrong
