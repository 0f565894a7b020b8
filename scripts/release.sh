#!/usr/bin/env bash
# Makes a release of a clean clone: sets the version in every file that has it, commits, makes the packages with their
# checksums and list of components, and tags. It pushes nothing and does not run the tests.
#
#   release.sh [--dry-run] VERSION      for example 0.2.0
#
# --dry-run prints what would be changed and changes nothing. After a failure, the same command goes on from there.
set -euo pipefail
cd "$(dirname "$0")/.."

dry=
if [ "${1:-}" = --dry-run ]; then dry=yes; shift; fi
version=${1:-}
fail() { echo "release: $*" >&2; exit 1; }
[[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "a version such as 0.2.0 is needed"
today=$(date -u +%F)

# Whatever names the version. README.md and docs/server.md name it in the files of the packages.
files=(Cargo.toml Cargo.lock ui/package.json ui/package-lock.json packaging/org.tidings.desktop.metainfo.xml
  README.md docs/server.md CHANGELOG.md)

current() { sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$1/Cargo.toml"; }
has_notes() { grep -qF "## [$version]" CHANGELOG.md; }

# set_version FOLDER: writes the version into the files there.
set_version() {
  local at=$1 before
  before=$(current "$at")
  sed -i "/^\[workspace.package\]/,/^\[/s/^version = .*/version = \"$version\"/" "$at/Cargo.toml"
  sed -i "/^name = \"tidings-/{n;s/^version = .*/version = \"$version\"/}" "$at/Cargo.lock"
  sed -i "0,/^  \"version\": .*/s//  \"version\": \"$version\",/" "$at/ui/package.json" "$at/ui/package-lock.json"
  sed -i "/^    \"\": {/,/^    }/s/^      \"version\": .*/      \"version\": \"$version\",/" "$at/ui/package-lock.json"
  sed -i -e '/<release .* type="development"\/>/d' \
    -e "s|^\( *\)<releases>|&\n\1  <release version=\"$version\" date=\"$today\"/>|" "$at/packaging/org.tidings.desktop.metainfo.xml"
  sed -i -E "s/(tidings(-server)?[-_])${before//./\\.}([-_])/\1$version\3/g" "$at/README.md" "$at/docs/server.md"
  # Before the first release a line says so.
  sed -i -e '/^This becomes .* the first release\.$/{N;d}' -e "s/^## \[Unreleased\]$/&\n\n## [$version] - $today/" "$at/CHANGELOG.md"
}

# What a user notices has to be there before it is released.
notes() { sed -n '/^## \[Unreleased\]/,/^## \[[0-9]/p' CHANGELOG.md | grep -c '^- ' || :; }

if [ -n "$dry" ]; then
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
  cp --parents "${files[@]}" "$copy"
  set_version "$copy"
  for file in "${files[@]}"; do
    diff -u --label "$file" --label "$file" "$file" "$copy/$file" || :
  done
  exit 0
fi

[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed"
! git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null || fail "there is a tag v$version already"
latest=$(git tag --list 'v[0-9]*' | sed 's/^v//' | sort -V | tail -n 1)
[ "$(printf '%s\n' "$latest" "$version" | sort -V | tail -n 1)" = "$version" ] || fail "$latest is newer than $version"
scripts/advisories.sh release
if ! has_notes; then
  [ "$(notes)" -gt 0 ] || fail "CHANGELOG.md says nothing under Unreleased"
  set_version .
  git commit --quiet --all --message "chore(release): version $version"
fi
scripts/package.sh
git tag --annotate --message "Tidings $version" "v$version"
echo "Version $version is committed and tagged, and its packages are in ${CARGO_TARGET_DIR:-target}/packages."
echo "Run make test-package on them, then: git push --follow-tags"
