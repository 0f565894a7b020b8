#!/usr/bin/env bash
# Makes the packages of the last commit twice, in clones in different folders, and compares them byte by byte. Where they
# differ, diffoscope says how. It needs some 10 GB in TMPDIR, and builds each program twice.
set -euo pipefail
cd "$(dirname "$0")/.."

# Not /tmp, which is in memory on many systems.
work=$(mktemp -d "${TMPDIR:-/var/tmp}/tidings-twice.XXXXXX")
trap 'rm -rf "$work"' EXIT
# What is set for this folder is not meant for the clones, and neither are the arguments of the make that runs this.
unset CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR SOURCE_DATE_EPOCH MAKEFLAGS MFLAGS MAKEOVERRIDES
for folder in one another-one; do
  git clone --quiet . "$work/$folder"
  make --no-print-directory -C "$work/$folder" package ARGS=--for-trial
  # Only the packages are compared; what was built on the way takes gigabytes.
  mv "$work/$folder/target/packages" "$work/packages-of-$folder"
  rm -rf "${work:?}/$folder"
done
one=$work/packages-of-one another=$work/packages-of-another-one
if cmp --silent "$one/SHA256SUMS" "$another/SHA256SUMS"; then
  echo "two builds, one result:"
  cat "$one/SHA256SUMS"
  exit 0
fi
echo "the two builds differ" >&2
for package in "$one"/*; do
  cmp --silent "$package" "$another/$(basename "$package")" ||
    diffoscope --max-report-size 200000 "$package" "$another/$(basename "$package")" || :
done
exit 1
