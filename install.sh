#!/bin/sh
# Installs a released catalog binary after verifying its checksum. Needs curl or wget, and tar.
#
#   sh install.sh
#
# Environment:
#   CATALOG_VERSION      version to install, such as 0.1.0 (default: the latest release)
#   CATALOG_INSTALL_DIR  directory to install to (default: ~/.local/bin)
#   CATALOG_REPOSITORY   owner/name of the repository to download from
#   CATALOG_SERVER       server of that repository (default: https://github.com)
#   CATALOG_BASE_URL     directory that holds the archives and SHA256SUMS, for a mirror: https:// or file://
#   CATALOG_TARGET       target triple to install instead of the detected one
#
# Exit codes: 0 installed, 1 failed, 3 no binary for this platform or version, 4 the checksum is wrong.
set -eu

# Set by ci/set-repository. The placeholder owner is refused below.
REPOSITORY=your-org/catalog

say() {
  printf 'install.sh: %s\n' "$*" >&2
}

# fail CODE MESSAGE
fail() {
  code=$1
  shift
  say "$*"
  exit "$code"
}

# The target triple of this machine. Linux gets the static musl build, which runs on every distribution.
detect_target() {
  case $(uname -m) in
    x86_64 | amd64) arch=x86_64 ;;
    aarch64 | arm64) arch=aarch64 ;;
    *) return 1 ;;
  esac
  case $(uname -s) in
    Linux) echo "$arch-unknown-linux-musl" ;;
    Darwin) echo "$arch-apple-darwin" ;;
    MINGW* | MSYS* | CYGWIN*) [ "$arch" = x86_64 ] && echo x86_64-pc-windows-msvc ;;
    *) return 1 ;;
  esac
}

# The directory that the release is downloaded from.
base_url() {
  if [ -n "${CATALOG_BASE_URL:-}" ]; then
    printf '%s\n' "${CATALOG_BASE_URL%/}"
    return
  fi
  repository=${CATALOG_REPOSITORY:-$REPOSITORY}
  case $repository in
    your-org/*)
      fail 1 "catalog has no release location yet: set CATALOG_REPOSITORY=owner/name to the repository that publishes it" ;;
    */*/* | */ | /* | *[!A-Za-z0-9._/-]*) fail 1 "CATALOG_REPOSITORY must be owner/name, not '$repository'" ;;
    */*) ;;
    *) fail 1 "CATALOG_REPOSITORY must be owner/name, not '$repository'" ;;
  esac
  releases=${CATALOG_SERVER:-https://github.com}/$repository/releases
  if [ -n "${CATALOG_VERSION:-}" ]; then
    printf '%s\n' "$releases/download/v${CATALOG_VERSION#v}"
  else
    printf '%s\n' "$releases/latest/download"
  fi
}

# download URL FILE
download() {
  case $1 in
    https://*) protocol='=https' ;;
    file://*) protocol='=file' ;;
    *) fail 1 "refusing to download from $1: only https:// and file:// are allowed" ;;
  esac
  if command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location --proto "$protocol" --proto-redir "$protocol" --retry 3 --output "$2" "$1"
  elif [ "$protocol" = '=file' ]; then
    cp "${1#file://}" "$2"
  elif command -v wget >/dev/null 2>&1; then
    wget --quiet --https-only --output-document="$2" "$1"
  else
    fail 1 "neither curl nor wget is installed"
  fi
}

# The SHA-256 of a file, in hex.
sha256() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    fail 1 "neither sha256sum nor shasum is installed"
  fi
}

# In a function, so that a script that was downloaded only in part does nothing.
main() {
  target=${CATALOG_TARGET:-$(detect_target || true)}
  [ -n "$target" ] || fail 3 "no binary is released for $(uname -s) on $(uname -m); build it with cargo install"
  case $target in
    *[!A-Za-z0-9_-]*) fail 1 "CATALOG_TARGET is not a target triple: '$target'" ;;
    *windows*) program=catalog.exe ;;
    *) program=catalog ;;
  esac
  directory=${CATALOG_INSTALL_DIR:-$HOME/.local/bin}
  url=$(base_url)
  archive=catalog-$target.tar.gz

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  download "$url/$archive" "$work/$archive" || fail 3 "cannot download $url/$archive"
  download "$url/SHA256SUMS" "$work/SHA256SUMS" || fail 3 "cannot download $url/SHA256SUMS"

  expected=$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1; exit }' "$work/SHA256SUMS")
  [ -n "$expected" ] || fail 4 "SHA256SUMS does not list $archive; nothing was installed"
  actual=$(sha256 "$work/$archive")
  [ "$actual" = "$expected" ] || fail 4 "checksum of $archive is $actual, expected $expected; nothing was installed"

  tar -xzf "$work/$archive" -C "$work" "catalog-$target/$program"
  mkdir -p "$directory"
  # Written beside the old binary and renamed, so that a running one is not disturbed.
  cp "$work/catalog-$target/$program" "$directory/.$program.new"
  chmod 755 "$directory/.$program.new"
  mv -f "$directory/.$program.new" "$directory/$program"
  say "installed $("$directory/$program" --version) to $directory/$program"
  case :$PATH: in
    *":$directory:"*) ;;
    *) say "add $directory to your PATH" ;;
  esac
}

main "$@"
