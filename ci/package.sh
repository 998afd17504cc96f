#!/bin/sh
# Packs a binary with its licences and documentation into the archive that install.sh and cargo binstall download.
#
#   sh ci/package.sh TARGET DIRECTORY_OF_THE_BINARY OUTPUT_DIRECTORY
set -eu
target=$1
from=$2
out=$3
root=$(cd "$(dirname "$0")/.." && pwd)
case $target in
  *windows*) program=catalog.exe ;;
  *) program=catalog ;;
esac
name=catalog-$target
mkdir -p "$out/$name"
cp "$from/$program" "$root/README.md" "$root/CHANGELOG.md" "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$out/$name/"
tar -czf "$out/$name.tar.gz" -C "$out" "$name"
rm -r "${out:?}/$name"
echo "$out/$name.tar.gz"
