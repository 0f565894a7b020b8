#!/usr/bin/env bash
# Takes a picture of every view, in both languages and both themes, from the real program with an inbox as on an
# ordinary Friday. All of them go to target/screenshots; four are copied to docs/.
set -euo pipefail
cd "$(dirname "$0")/.."
# The same selection as `make test`, so that nothing is compiled twice.
cargo build --workspace --bins --tests --features tidings-desktop/custom-protocol
export TIDINGS_PICTURES="$PWD/target/screenshots"
rm -rf "$TIDINGS_PICTURES"
cargo nextest run --workspace --features tidings-desktop/custom-protocol --run-ignored only -E 'test(/^screenshots::/)'

# A palette is enough for an interface, and a quarter of the size.
keep() {
  convert "$TIDINGS_PICTURES/$1.png" -strip -dither None -colors 256 "PNG8:docs/$2.png"
}
keep inbox-en-light inbox
keep inbox-zh-dark inbox-dark-zh
keep conversation-readers-en-light conversation
keep search-en-dark search
echo "$(find "$TIDINGS_PICTURES" -name '*.png' | wc -l) pictures in $TIDINGS_PICTURES; docs/ has four of them"
