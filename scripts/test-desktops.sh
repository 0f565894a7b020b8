#!/usr/bin/env bash
# Tries the built program with each notification daemon that Debian has and on each of its desktops, each in a session of its
# own. Writes the two tables in docs/desktops.md.
#
#   test-desktops.sh [DAEMON|DESKTOP|daemons|sessions…]   all of them if none is named; those of a table are written into it
#
# TIDINGS_BIN is the folder of the built programs (target/release).
set -euo pipefail
cd "$(dirname "$0")/.."

TIDINGS_BIN=${TIDINGS_BIN:-${CARGO_TARGET_DIR:-$PWD/target}/release}
[ -x "$TIDINGS_BIN/tidings-desktop" ] || { echo "test-desktops: $TIDINGS_BIN has no tidings-desktop" >&2; exit 1; }
# Compositors refuse to run as root.
as_user=()
[ "$(id -u)" != 0 ] || as_user=(setpriv --reuid=nobody --regid=nogroup --clear-groups --reset-env)
daemons=(dunst xfce4-notifyd mate-notification-daemon lxqt-notificationd mako swaync plasmashell gnome-shell)
sessions=(xfce4-panel sway weston plasma mutter gnome)
page=docs/desktops.md
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

failed=
# try SCRIPT NAME: its row, on the screen and in the file.
try() {
  local row size=1280x800
  # The windows of compositors have frames.
  [ "$1" = toasts ] || size=1280x960
  if row=$("${as_user[@]}" env TIDINGS_BIN="$TIDINGS_BIN" scripts/with-desktop.sh --no-dunst --no-panel --size "$size" -- \
    "scripts/test-desktops/$1.sh" "$2" </dev/null); then
    echo "$row" | tee -a "$rows"
  else
    failed="$failed $2"
  fi
}
# table SCRIPT TABLE NAME…: all of a table, which is written if each of them has a row.
table() {
  local script=$1 table=$2 one
  shift 2
  : >"$rows"
  for one in "$@"; do try "$script" "$one"; done
  [ "$(wc -l <"$rows")" -ne $# ] ||
    sed -i -e "/^<!-- $table -->\$/,/^<!-- end of $table -->\$/{//!d}" -e "/^<!-- $table -->\$/r $rows" "$page"
}

[ $# -gt 0 ] || set -- daemons sessions
for name in "$@"; do
  case "$name" in
    daemons) table toasts daemons "${daemons[@]}" ;;
    sessions) table session sessions "${sessions[@]}" ;;
    *) if [[ " ${sessions[*]} " == *" $name "* ]]; then try session "$name"; else try toasts "$name"; fi ;;
  esac
done
[ -z "$failed" ] || { echo "test-desktops: failed with$failed" >&2; exit 1; }
