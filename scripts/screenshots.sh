#!/usr/bin/env bash
# Takes the pictures in docs/ anew: the inbox in light and English, in dark and Chinese, and the first run.
set -euo pipefail
cd "$(dirname "$0")/.."
# The same selection as `make test`, so that nothing is compiled twice.
cargo build --workspace --bins --features tidings-desktop/custom-protocol
export TIDINGS_BIN="${CARGO_TARGET_DIR:-$PWD/target}/debug"
take() {
  local picture=$1
  shift
  scripts/with-desktop.sh --keyring --size 1360x900 "${options[@]}" -- scripts/show.sh "$work/picture.png" "$@" </dev/null
  # A palette is enough for an interface, and a quarter of the size.
  convert "$work/picture.png" -strip -dither None -colors 256 "PNG8:$picture"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options=()
take docs/inbox.png
take docs/first-run.png --empty
options=(--dark --lang zh_CN.UTF-8)
take docs/inbox-dark-zh.png
