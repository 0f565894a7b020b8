#!/usr/bin/env bash
# Prints what the packages say of Tidings to catalogues of programs (AppStream). Those show the pictures of docs/ from the
# address of their folder, which the packager sets as TIDINGS_SCREENSHOTS_URL; without it the pictures are left out.
set -euo pipefail
cd "$(dirname "$0")/.."

from=packaging/org.tidings.desktop.metainfo.xml
if [ -n "${TIDINGS_SCREENSHOTS_URL:-}" ]; then
  sed "s|@pictures@|${TIDINGS_SCREENSHOTS_URL%/}|" "$from"
else
  sed '/<screenshots>/,/<\/screenshots>/d' "$from"
fi
