#!/usr/bin/env bash
# Prints what the packages say of Tidings to catalogues of programs (AppStream). Those show the pictures of docs/ from the
# address of their folder, which the packager sets as TIDINGS_SCREENSHOTS_URL; without it the pictures are left out.
set -euo pipefail
cd "$(dirname "$0")/.."

from=packaging/org.tidings.desktop.metainfo.xml
if [ -n "${TIDINGS_SCREENSHOTS_URL:-}" ]; then
  # The address may have characters that XML or sed would take for theirs.
  address=$(sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/[\\&|]/\\&/g' <<<"${TIDINGS_SCREENSHOTS_URL%/}")
  sed "s|@pictures@|$address|" "$from"
else
  sed '/<screenshots>/,/<\/screenshots>/d' "$from"
fi
