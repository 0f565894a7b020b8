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
flatpak-builder --user --install --install-deps-from=flathub --force-clean build org.tidings.desktop.yml
