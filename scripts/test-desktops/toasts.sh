#!/usr/bin/env bash
# On the desktop where it runs: starts one notification daemon and Tidings, publishes, waits for the toast, changes it, clicks it
# if the daemon can be told to, and marks it read. Waits until the daemon has taken it away, listens whether it was heard, and
# prints a row of the table in docs/desktops.md.
set -euo pipefail

name=$1
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

# A sound server without a device, whose sounds are recorded.
start pulseaudio -n --daemonize=no --exit-idle-time=-1 --load=module-native-protocol-unix --load="module-null-sink sink_name=heard"
# Its device comes after the server answers.
until_ok 60 "the sound server" pactl get-sink-mute heard
parec --raw --device=heard.monitor >"$work/heard" 2>/dev/null &
started+=($!)
heard() { [ -n "$(tr -d '\0' <"$work/heard" | head -c 1 | od -An -tx1)" ]; }

daemon "$name"
capabilities=$(call GetCapabilities | jq -r '.data[0][]')
version=$(call GetServerInformation | jq -r '.data[2]')
has() { if grep -qxF "$1" <<<"$capabilities"; then echo yes; else echo –; fi; }

listen
start "$TIDINGS_BIN/tidings-desktop" --background
serving
publish backups "Backup failed" 'Priority: urgent' 'Actions: view, Open, https://example.org'
until_ok 60 "the toast" toast "Backup failed"
id=$(toast "Backup failed")
# Tidings plays what a daemon cannot. What a daemon plays may be switched off in its own settings.
came="came and went"
if [ "$(has sound)" = yes ]; then
  for _ in {1..25}; do ! heard || break; sleep 0.2; done
else
  until_ok 30 "its sound" heard
fi
! heard || came="came, was heard and went"

# The thread goes on: the daemon gives the same toast another text, or puts another one in its place.
publish backups "Backup failed again" 'Priority: urgent'
until_ok 60 "the change of the toast" toast "2 new in"
changed=$(toast "2 new in")
in_place=–
[ "$changed" != "$id" ] || in_place=yes
"$TIDINGS_BIN/tidings" mark read --all >/dev/null
until_ok 60 "the toast to go" gone "$changed"

# A click on the toast itself, by the daemons that have a program for it.
publish disks "Disk full"
until_ok 60 "the toast to click" toast "Disk full"
id=$(toast "Disk full") clicked=yes
case "$name" in
  dunst) dunstctl action 0 ;;
  mako) makoctl invoke ;;
  *) clicked=– ;;
esac
if [ "$clicked" = yes ]; then
  until_ok 60 "the click" jq -es --argjson id "$id" 'any(.[]; .member == "ActionInvoked" and .payload.data == [$id, "default"])' "$monitor"
  until_ok 60 "the clicked toast to go" gone "$id"
fi

echo "| $name $version | $(has body) | $(has body-markup) | $(has actions) | $clicked | $in_place | $(has persistence) | $(has inline-reply) | $(has sound) | $came |"
