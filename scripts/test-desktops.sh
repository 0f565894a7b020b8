#!/usr/bin/env bash
# Tries the toasts of the built program with each notification daemon that Debian has, on a session of its own, and writes the
# table in docs/desktops.md: what the daemon offers, and whether a toast of Tidings came and went.
#
#   test-desktops.sh [DAEMON…]      all of them if none is named
#
# TIDINGS_BIN is the folder of the built programs (target/release).
set -euo pipefail
cd "$(dirname "$0")/.."

TIDINGS_BIN=${TIDINGS_BIN:-${CARGO_TARGET_DIR:-$PWD/target}/release}
[ -x "$TIDINGS_BIN/tidings-desktop" ] || { echo "test-desktops: $TIDINGS_BIN has no tidings-desktop" >&2; exit 1; }
# Compositors refuse to run as root.
as_user=()
[ "$(id -u)" != 0 ] || as_user=(setpriv --reuid=nobody --regid=nogroup --clear-groups --reset-env)
daemons=("$@")
[ $# -gt 0 ] || daemons=(dunst xfce4-notifyd mate-notification-daemon lxqt-notificationd mako swaync)
page=docs/desktops.md
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

failed=
for daemon in "${daemons[@]}"; do
  if row=$("${as_user[@]}" env TIDINGS_BIN="$TIDINGS_BIN" scripts/with-desktop.sh --no-dunst --no-panel -- scripts/test-desktops/toasts.sh "$daemon" </dev/null); then
    echo "$row" | tee -a "$rows"
  else
    failed="$failed $daemon"
  fi
done
[ -z "$failed" ] || { echo "test-desktops: failed with$failed" >&2; exit 1; }
[ $# -eq 0 ] || exit 0
sed -i -e '/^<!-- rows -->$/,/^<!-- end of rows -->$/{//!d}' -e "/^<!-- rows -->$/r $rows" "$page"
