#!/usr/bin/env bash
# Takes a picture of every view, in both languages and both themes, from the real program with an inbox as on an
# ordinary Friday. All of them go to target/screenshots; four are copied to docs/, and one that moves is put together there.
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

# Each frame's name ends in the hundredths of a second for which it is shown.
frames=()
for frame in "$TIDINGS_PICTURES"/moving/*.png; do
  hundredths=${frame##*-}
  frames+=(-delay "${hundredths%.png}" "$frame")
done
convert -dither None "${frames[@]}" -strip -loop 0 +remap -layers Optimize docs/inbox.gif
bytes=$(stat --format=%s docs/inbox.gif)
[ "$bytes" -le 2000000 ] || { echo "screenshots: docs/inbox.gif has $bytes bytes, and may have 2 MB" >&2; exit 1; }
echo "$(find "$TIDINGS_PICTURES" -name '*.png' | wc -l) pictures in $TIDINGS_PICTURES; docs/ has four of them, and inbox.gif"
