#!/usr/bin/env bash
# Builds and opens Tidings. With no display it opens on a virtual one, publishes real notifications
# with curl, leaves a picture of the whole desktop, and quits.
set -euo pipefail
cd "$(dirname "$0")/.."

# The same selection as `make test`, so that nothing is compiled twice.
cargo build --workspace --bins --features tidings-desktop/custom-protocol ${CI:+--locked}
export TIDINGS_BIN="${CARGO_TARGET_DIR:-$PWD/target}/debug"

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec "$TIDINGS_BIN/tidings-desktop"
fi

echo "No display here: opening on a virtual one."
scripts/setup.sh desktop
exec scripts/with-desktop.sh --keyring --size 1360x900 -- scripts/show.sh "$PWD/target/run/tidings.png" </dev/null
