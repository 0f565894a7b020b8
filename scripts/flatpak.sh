#!/usr/bin/env bash
# Builds Tidings as a Flatpak for this user from packaging/flatpak, without a network once its sources are fetched.
#
#   flatpak.sh [--sources]
#
# --sources only writes the manifest and its lists of sources to target/flatpak, which is what a repository of Flatpaks takes.
set -euo pipefail
cd "$(dirname "$0")/.."

work=target/flatpak
mkdir -p "$work"
cp packaging/flatpak/org.tidings.desktop.yml "$work/"
scripts/flatpak-sources.py "$work"
# It reads the manifest with its lists, says what it does not understand, and keeps what it fetched in this folder.
cd "$work"
flatpak-builder --show-manifest org.tidings.desktop.yml >read.json
[ "${1:-}" != --sources ] || exit 0
# Older ones call a program that the SDK has no longer, after all of it is built.
version=$(flatpak-builder --version | sed 's/[^0-9]*\([0-9.]*\).*/\1/')
if ! printf '%s\n' 1.3.4 "$version" | sort --version-sort --check=quiet; then
  echo "flatpak-builder 1.3.4 or newer is needed, and this is $version: Flathub has one as org.flatpak.Builder" >&2
  exit 1
fi
flatpak-builder --user --install --install-deps-from=flathub --force-clean build org.tidings.desktop.yml
