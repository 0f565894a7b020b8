#!/usr/bin/env bash
# Makes the .deb: the app with its .desktop file and icons, and the `tidings` program beside it. It refuses where the list
# of known weaknesses is too old for a release; `--for-trial` makes one that nobody is to be given.
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-}" in
  "") scripts/advisories.sh release ;;
  --for-trial) echo "for trial: nothing says whether what it is built of has known weaknesses" ;;
  *) echo "usage: package.sh [--for-trial]" >&2; exit 2 ;;
esac
cargo build --release --locked -p tidings-cli
ui/node_modules/.bin/tauri build --bundles deb --config packaging/deb.json -- --locked
ls -l "${CARGO_TARGET_DIR:-target}"/release/bundle/deb/*.deb
