#!/usr/bin/env bash
# On the desktop where it runs: starts one notification daemon and Tidings, publishes, waits for the toast, marks it read, waits
# until the daemon has taken it away, listens whether it was heard, and prints a row of the table in docs/desktops.md.
set -euo pipefail

name=$1
work=$(mktemp -d)
export TIDINGS_DATA_DIR=$work/data
started=()
leave() {
  [ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null || :
  wait || :
  rm -rf "$work"
}
trap leave EXIT
fail() {
  echo "test-desktops: $name: $*" >&2
  tail -n 5 "$work"/*.log >&2 || :
  exit 1
}
until_ok() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || fail "waited in vain for $what"
    sleep 0.2
  done
}
start() {
  "$@" >"$work/$(basename "$1").log" 2>&1 &
  started+=($!)
}

# A compositor without a screen, for daemons that draw on Wayland alone.
wayland() {
  WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1 start sway --config /dev/null
  until_ok 30 "sway" eval 'ls "$XDG_RUNTIME_DIR"/wayland-? '
  WAYLAND_DISPLAY=$(basename "$(echo "$XDG_RUNTIME_DIR"/wayland-?)")
  export WAYLAND_DISPLAY GDK_BACKEND=wayland
}

# A sound server without a device, whose sounds are recorded.
start pulseaudio -n --daemonize=no --exit-idle-time=-1 --load=module-native-protocol-unix --load="module-null-sink sink_name=heard"
until_ok 60 "the sound server" pactl info
parec --raw --device=heard.monitor >"$work/heard" 2>/dev/null &
started+=($!)
heard() { [ -n "$(tr -d '\0' <"$work/heard" | head -c 1 | od -An -tx1)" ]; }

case "$name" in
  dunst) start dunst ;;
  xfce4-notifyd) start /usr/lib/*/xfce4/notifyd/xfce4-notifyd ;;
  mate-notification-daemon) start /usr/lib/mate-notification-daemon/mate-notification-daemon ;;
  lxqt-notificationd) start lxqt-notificationd ;;
  mako | swaync) wayland && start "$name" ;;
  *) fail "it is not known here" ;;
esac
daemon=org.freedesktop.Notifications
until_ok 60 "the daemon" busctl --user status "$daemon"
call() { busctl --user --json=short call "$daemon" /org/freedesktop/Notifications "$daemon" "$1"; }
capabilities=$(call GetCapabilities | jq -r '.data[0][]')
version=$(call GetServerInformation | jq -r '.data[2]')
has() { if grep -qxF "$1" <<<"$capabilities"; then echo yes; else echo –; fi; }

# Line by line; what it says itself is not JSON.
monitor=$work/monitor.log
stdbuf -oL busctl --user --json=short monitor "$daemon" >"$monitor" 2>/dev/null &
started+=($!)
start "$TIDINGS_BIN/tidings-desktop" --background
endpoint=$TIDINGS_DATA_DIR/endpoint.json
until_ok 60 "the server" test -s "$endpoint"
url=$(jq -r .url "$endpoint")
until_ok 60 "the server's answer" curl -fsS -m 2 "$url/api/v1/health"
curl -fsS -m 10 -H 'Title: Backup failed' -H 'Priority: urgent' -H 'Actions: view, Open, https://example.org' \
  -d 'nas-2 did not answer' "$url/backups" >/dev/null

# The daemon's id of the toast: what it answered to the call whose text begins with the title.
toast() {
  jq -ers '([.[] | select(.member == "Notify" and (.payload.data[4] | startswith("Backup failed")))] | last) as $call
    | [.[] | select(.type == "method_return" and .reply_cookie == $call.cookie and .destination == $call.sender)][0].payload.data[0]' "$monitor"
}
gone() {
  jq -es --argjson id "$id" 'any(.[]; .member == "NotificationClosed" and .payload.data[0] == $id)' "$monitor"
}
until_ok 60 "the toast" toast
id=$(toast)
# Tidings plays what a daemon cannot. What a daemon plays may be switched off in its own settings.
came="came and went"
if [ "$(has sound)" = yes ]; then
  for _ in {1..25}; do ! heard || break; sleep 0.2; done
else
  until_ok 30 "its sound" heard
fi
! heard || came="came, was heard and went"
"$TIDINGS_BIN/tidings" mark read --all >/dev/null
until_ok 60 "the toast to go" gone

echo "| $name $version | $(has body-markup) | $(has actions) | $(has persistence) | $(has inline-reply) | $(has sound) | $came |"
