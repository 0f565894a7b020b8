#!/usr/bin/env bash
# Draws every PNG in this folder from its SVG. Needs rsvg-convert (librsvg2-bin), convert (imagemagick) and png2icns (icnsutils).
set -euo pipefail
cd "$(dirname "$0")"

for size in 16 24 32 48 64 128 256 512; do
  rsvg-convert --width "$size" --height "$size" --output "app/$size.png" icon.svg
done
# For Windows and macOS.
convert app/{16,24,32,48,64,256}.png icon.ico
png2icns icon.icns app/{16,32,48,128,256,512}.png >/dev/null

# A tray glyph has one colour: white for dark panels, near-black for light ones.
draw_glyphs() {
  local panel=$1 colour=$2 css glyph size
  css=$(mktemp)
  printf 'svg { color: %s }\n' "$colour" >"$css"
  for size in 22 24 32 48; do
    mkdir -p "tray/$panel/$size"
    for glyph in tray/svg/*.svg; do
      rsvg-convert --stylesheet "$css" --width "$size" --height "$size" \
        --output "tray/$panel/$size/$(basename "$glyph" .svg).png" "$glyph"
    done
  done
  rm -f "$css"
}
draw_glyphs light '#ffffff'
draw_glyphs dark '#2e3436'
