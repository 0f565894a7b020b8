#!/usr/bin/env bash
# Makes the Debian packages: `tidings` (the app and the program for the terminal) and `tidings-server` (a service). It
# refuses if the list of known weaknesses is too old for a release; `--for-trial` makes packages that nobody is to be given.
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-}" in
  "") scripts/advisories.sh release ;;
  --for-trial) echo "for trial: nothing says whether what it is built of has known weaknesses" ;;
  *) echo "usage: package.sh [--for-trial]" >&2; exit 2 ;;
esac
target="${CARGO_TARGET_DIR:-$PWD/target}" parts=target/package
cargo build --release --locked -p tidings-desktop -p tidings-cli --bins --features tidings-desktop/custom-protocol

# What the program itself says of its commands.
rm -rf "$parts"
mkdir -p "$parts/completions"
"$target/release/tidings" man --to "$parts/man"
"$target/release/tidings" completions bash >"$parts/completions/tidings"
"$target/release/tidings" completions zsh >"$parts/completions/_tidings"
"$target/release/tidings" completions fish >"$parts/completions/tidings.fish"

# The date is that of the commit, so that two builds of one commit are alike.
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
for package in tidings tidings-server; do
  mkdir -p "$parts/$package"
  gzip -9n >"$parts/$package/changelog.gz" <<X
$package ($version) unstable; urgency=medium

  * Version $version. NEWS.md says what a user notices in it.

 -- The Tidings contributors <maintainers@tidings.org>  $(date --utc --rfc-email --date "@$SOURCE_DATE_EPOCH")
X
done

desktop-file-validate packaging/org.tidings.desktop.desktop
appstreamcli validate --no-net packaging/org.tidings.desktop.metainfo.xml
rm -rf "$target/debian"
for crate in tidings-desktop tidings-cli; do
  cargo deb --no-build --locked --package "$crate" --output "$target/debian/"
done
lintian --fail-on error,warning "$target"/debian/*.deb
ls -l "$target"/debian/*.deb
