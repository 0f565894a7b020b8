#!/usr/bin/env bash
# Takes the figures, on a desktop of its own so that windows can be measured too.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked -p tidings-benches -p tidings-desktop -p tidings-cli --bins --examples --features tidings-desktop/custom-protocol
# The limits are measured with many connections at once.
ulimit -n "$(ulimit -Hn)"
exec scripts/with-desktop.sh -- "${CARGO_TARGET_DIR:-$PWD/target}/release/tidings-benches" "$@" </dev/null
