#!/bin/sh
# Installs the Rust that Cargo.toml asks for, with the components named as arguments, and makes it the default.
set -eu
cd "$(dirname "$0")/.."
rust=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
rustup toolchain install "$rust" --profile minimal --no-self-update
for component in "$@"; do
  rustup component add --toolchain "$rust" "$component"
done
rustup default "$rust"
