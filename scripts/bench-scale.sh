#!/usr/bin/env bash
# Takes the figures of many people and several processes, with databases that the run starts and removes.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked -p tidings-benches -p tidings-cli --bins
# Ten thousand live channels are open at once, at both of their ends.
ulimit -n "$(ulimit -Hn)"
exec "${CARGO_TARGET_DIR:-$PWD/target}/release/tidings-benches" scale "$@" </dev/null
