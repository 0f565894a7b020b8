#!/usr/bin/env bash
# Makes the .deb: the app with its .desktop file and icons, and the `tidings` program beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked -p tidings-cli
ui/node_modules/.bin/tauri build --bundles deb --config packaging/deb.json -- --locked
ls -l "${CARGO_TARGET_DIR:-target}"/release/bundle/deb/*.deb
