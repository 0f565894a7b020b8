#!/usr/bin/env bash
# In an empty session: starts one desktop and Tidings on it, and goes through one story: a window, a toast, the icon, do not disturb, a
# second start, a daemon, a host and a bus that are lost. Prints a row of the table of sessions in docs/desktops.md. What a desktop
# does not have is –; what it has must work.
set -euo pipefail

name=$1
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

toasts= host=
case "$name" in
  xfce4-panel) toasts=dunst host=xfce4-panel ;;
  sway)
    compositor sway
    toasts=swaync host=waybar
    ;;
  weston | mutter) compositor "$name" ;;
  plasma)
    compositor kwin_wayland
    toasts=plasmashell
    ;;
  gnome)
    compositor gnome-shell
    toasts=gnome-shell
    ;;
  *) fail "it is not known here" ;;
esac
[ -z "$toasts" ] || daemon "$toasts"
has_host() { busctl --user status org.kde.StatusNotifierWatcher; }
if [ -n "$host" ]; then
  start "$host"
  until_ok 60 "a place for icons" has_host
fi

listen
tidings() { "$TIDINGS_BIN/tidings" "$@"; }
part() { [ "$(tidings doctor --json | jq -r --arg part "$1" '.findings[] | select(.what == $part) | .state' | head -n 1)" = "$2" ]; }
# On Wayland a program tells what it asked of the compositor.
WAYLAND_DEBUG=1 start "$TIDINGS_BIN/tidings-desktop"
program=$! log=$work/tidings-desktop.log
serving
has_window() {
  if [ -n "${WAYLAND_DISPLAY:-}" ]; then
    grep -q 'xdg_toplevel@[0-9]*.set_title("' "$log" && grep -q 'xdg_surface@[0-9]*.ack_configure' "$log"
  else
    xdotool search --onlyvisible --name Tidings
  fi
}
until_ok 60 "the window" has_window
window=yes scale=–
case "$name" in
  sway | weston | plasma)
    until_ok 30 "a window drawn at a scale" grep -q 'wl_surface@[0-9]*.set_buffer_scale(2)' "$log"
    scale=yes
    ;;
esac

# A second start shows the window of the first.
timeout 60 "$TIDINGS_BIN/tidings-desktop" >/dev/null 2>&1 || fail "a second start failed"

came_and_went() {
  local id
  publish "$1" "$2" 'Priority: urgent'
  until_ok 60 "the toast $2" toast "$2"
  id=$(toast "$2")
  tidings mark read --all >/dev/null
  until_ok 60 "the toast $2 to go" gone "$id"
}
toast=– again=– quiet=–
if [ -n "$toasts" ]; then
  came_and_went backups "Backup failed"
  toast=yes
  do_not_disturb() { return 1; }
  case "$toasts" in
    dunst) do_not_disturb() { dunstctl set-paused "$1"; } ;;
    swaync) do_not_disturb() { if "$1"; then swaync-client --dnd-on; else swaync-client --dnd-off; fi; } ;;
  esac
  if do_not_disturb true >/dev/null 2>&1; then
    # The desktop keeps it back, and nothing urgent pierces that.
    publish builds "Build failed" 'Priority: urgent'
    until_ok 60 "the toast that is kept back" toast "Build failed"
    jq -es 'any(.[]; .member == "Notify" and (.payload.data[3:5] | join("\n") | contains("Build failed")) and .payload.data[6].urgency.data == 1)' \
      "$monitor" >/dev/null || fail "an urgent toast while it is not to be disturbed"
    do_not_disturb false >/dev/null
    tidings mark read --all >/dev/null
    until_ok 60 "the toast that was kept back to go" gone "$(toast "Build failed")"
    quiet=yes
  fi
  case "$toasts" in
    dunst | swaync)
      end "$toasts"
      until_ok 30 "the lost daemon" part notifications trouble
      daemon "$toasts"
      came_and_went disks "Disk full"
      again=yes
      ;;
  esac
fi

# The icon: the watcher of the desktop has it, and the doctor knows.
registered() {
  busctl --user --json=short get-property org.kde.StatusNotifierWatcher /StatusNotifierWatcher org.kde.StatusNotifierWatcher \
    RegisteredStatusNotifierItems | jq -e '.data | length == 1'
}
icon=–
if has_host >/dev/null 2>&1; then
  until_ok 60 "the icon" registered
  until_ok 30 "the doctor to see the place for icons" part tray well
  icon=yes
  if [ -n "$host" ]; then
    end "$host"
    until_ok 60 "the place for icons to be lost" part tray limited
    start "$host"
    until_ok 60 "the icon again" registered
    icon="yes, again after a lost host"
  fi
else
  until_ok 30 "the doctor to miss a place for icons" part tray limited
fi

# The bus is lost. A compositor that cannot be without it ends, and the program with its display.
bus=$(busctl --user --json=short call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus GetConnectionUnixProcessID s org.freedesktop.DBus | jq '.data[0]')
kill "$bus"
sleep 2
lost=–
if kill -0 "$program" 2>/dev/null; then
  publish doors "Door open"
  until_ok 30 "an item without a bus" eval 'tidings list | grep "Door open"'
  lost="goes on"
else
  ! grep -q panicked "$log" || fail "it panicked with its display"
  lost="ends with the session"
fi

echo "| $name | $window | $scale | $toast | $quiet | $icon | $again | $lost |"
