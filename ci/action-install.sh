#!/bin/sh
# First step of the action: installs the released binary that belongs to the version of the action. If there is none, the
# outputs tell the next steps to build from source: `installed`, `rust` (toolchain) and `key` (of the cache).
#
#   ACTION_REPOSITORY  owner/name of the action; empty for an action from a local directory
#   ACTION_REF         tag, branch or commit of the action
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | sed -n 1p)
rust=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$root/Cargo.toml")
bin=$RUNNER_TEMP/catalog/bin
ref=${ACTION_REF:-}

# Only a release tag or a full commit id may stand for a release: the sources on a branch are newer than its binary.
is_commit=no
case $ref in
  *[!0-9a-f]*) ;;
  *) [ ${#ref} -ne 40 ] || is_commit=yes ;;
esac

installed=false
if [ -n "${ACTION_REPOSITORY:-}" ] && { [ "$ref" = "v$version" ] || [ $is_commit = yes ]; }; then
  code=0
  CATALOG_REPOSITORY=$ACTION_REPOSITORY CATALOG_SERVER=${GITHUB_SERVER_URL:-https://github.com} \
    CATALOG_VERSION=$version CATALOG_INSTALL_DIR=$bin sh "$root/install.sh" || code=$?
  case $code in
    0) installed=true ;;
    # A wrong checksum is no reason to go on in another way.
    4) exit 1 ;;
    *) echo "No released binary of catalog $version is available here; building it from source." ;;
  esac
fi

# A commit between two releases has the version of the last one, but not its binary.
if [ $installed = true ] && [ $is_commit = yes ]; then
  built=$("$bin/catalog" --version | sed -n 's/.*(\([0-9a-f]*\).*/\1/p')
  case $ref in
    "${built:-none}"*) ;;
    *)
      echo "The release $version was built from ${built:-an unknown commit}, not from $ref; building from source."
      rm -rf "$bin"
      installed=false
      ;;
  esac
fi

key=none
if [ $installed = false ]; then
  key=$(cd "$root" && find Cargo.toml Cargo.lock build.rs ci crates src theme -type f | LC_ALL=C sort |
    git hash-object --no-filters --stdin-paths | git hash-object --stdin)
fi
echo "$bin" >> "$GITHUB_PATH"
{
  echo "installed=$installed"
  echo "rust=$rust"
  echo "key=$key"
} >> "$GITHUB_OUTPUT"
