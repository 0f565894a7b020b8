#!/usr/bin/env bash
# Takes the pictures in docs/ anew: the inbox in light and English, in dark and Chinese, and the first run.
set -euo pipefail
cd "$(dirname "$0")/.."
# The same selection as `make test`, so that nothing is compiled twice.
cargo build --workspace --bins --features tidings-desktop/custom-protocol
export TIDINGS_BIN="${CARGO_TARGET_DIR:-$PWD/target}/debug"
scripts/with-desktop.sh --keyring --size 1360x900 -- scripts/show.sh "$PWD/docs/screenshot.png"
scripts/with-desktop.sh --keyring --size 1360x900 --dark --lang zh_CN.UTF-8 -- scripts/show.sh "$PWD/docs/screenshot-dark-zh.png"
scripts/with-desktop.sh --keyring --size 1360x900 -- scripts/show.sh "$PWD/docs/first-run.png" --empty
