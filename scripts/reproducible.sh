#!/usr/bin/env bash
# Makes the packages of the last commit twice, in clones in different folders, and compares them byte by byte. Where they
# differ, diffoscope says how.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d "${TMPDIR:-/tmp}/tidings-twice.XXXXXX")
trap 'rm -rf "$work"' EXIT
unset CARGO_TARGET_DIR
for folder in one another-one; do
  git clone --quiet . "$work/$folder"
  make -C "$work/$folder" package ARGS="--for-trial $*"
done
one=$work/one/target/packages another=$work/another-one/target/packages
if cmp --silent "$one/SHA256SUMS" "$another/SHA256SUMS"; then
  echo "two builds, one result:"
  cat "$one/SHA256SUMS"
  exit 0
fi
echo "the two builds differ" >&2
for package in "$one"/*; do
  diffoscope --max-report-size 200000 "$package" "$another/$(basename "$package")" || :
done
exit 1
