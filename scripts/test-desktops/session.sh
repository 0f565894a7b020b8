#!/usr/bin/env bash
# In an empty session: starts one desktop and Tidings on it, and goes through one story: a window, the focus, the clipboard, the
# dark, a file dialog, a closed window, a toast, the number for docks, do not disturb, the icon, a second start, a dragged file, a
# dialog of the portal, and a daemon, a host and a bus that are lost. Prints a row of the table of sessions in docs/desktops.md.
# What a desktop does not have is –; what it has must work.
set -euo pipefail

name=$1
export GSETTINGS_BACKEND=keyfile
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
log=$work/tidings-desktop.log
# shellcheck source=hands.sh
source "$(dirname "$0")/hands.sh"

toasts='' host=''
case "$name" in
  xfce4-panel)
    toasts=dunst host=xfce4-panel
    start xfsettingsd --no-daemon --disable-wm-check
    ;;
  sway)
    in_a_window sway
    toasts=swaync host=waybar
    ;;
  weston | mutter) in_a_window "$name" ;;
  plasma)
    in_a_window kwin_wayland
    toasts=plasmashell host=kded5
    ;;
  gnome)
    in_a_window gnome-shell
    toasts=gnome-shell
    ;;
  *) fail "it is not known here" ;;
esac
[ -z "$toasts" ] || daemon "$toasts"
has_host() { busctl --user status org.kde.StatusNotifierWatcher; }
# Plasma's daemon has brought its host along.
start_host() {
  start "$host"
  [ "$host" != kded5 ] || load_place_for_icons
  until_ok 60 "a place for icons" has_host
}
[ -z "$host" ] || has_host >/dev/null 2>&1 || start_host

listen
stdbuf -oL busctl --user --json=short --match="interface='com.canonical.Unity.LauncherEntry'" monitor >"$work/badge.log" 2>/dev/null &
started+=($!)
# Whether docks were told this number last.
badge() { jq -es --argjson number "$1" '[.[] | select(.member == "Update")] | last | .payload.data[1].count.data == $number' "$work/badge.log"; }
tidings() { "$TIDINGS_BIN/tidings" "$@"; }
part() { [ "$(tidings doctor --json | jq -r --arg part "$1" '.findings[] | select(.what == $part) | .state' | head -n 1)" = "$2" ]; }

WAYLAND_DEBUG=1 start "$TIDINGS_BIN/tidings-desktop"
program=$!
serving
until_ok 60 "the window" has_windows 1
scale=–
if [ "$name" != xfce4-panel ]; then
  until_ok 30 "a window drawn at a scale" grep -q 'wl_surface@[0-9]*.set_buffer_scale(2)' "$log"
  scale=yes
fi
publish desks "A first one" 'Priority: low'
until_ok 60 "the first notification" eval 'tidings list | grep "A first one"'
tidings mark read --all >/dev/null

# Another program is in front and has something in the clipboard. It starts Tidings again, which comes to the front.
another "$TIDINGS_BIN/tidings-desktop"
until_ok 30 "another program" another_in_front
write full
until_ok 30 "keys in another program" another_has full
press ctrl+a ctrl+c F9
focus=yes
if [ "$name" = weston ]; then
  # This version knows no tokens, and the window is chosen by hand.
  focus=–
  press super+Tab
fi
until_ok 30 "the focus" in_front

# What was copied elsewhere is pasted, and what is copied here can be pasted elsewhere later.
press slash
write "Disk "
press ctrl+v ctrl+a ctrl+c

pastes() {
  press ctrl+a ctrl+v
  sleep 1
  another_has "Disk full"
}
if [ "$name" = weston ]; then
  # There it is empty after a file dialog.
  press super+Tab
  until_ok 30 "what was copied" pastes
  press super+Tab
  until_ok 30 "the focus again" in_front
fi

# The desktop becomes dark, and so does the window.
bright=$(brightness)
if [ "$name" = xfce4-panel ]; then
  xfconf-query -c xsettings -p /Net/ThemeName -n -t string -s Adwaita-dark
else
  gsettings set org.gnome.desktop.interface color-scheme prefer-dark
fi
until_ok 30 "the dark" darker $((bright - 20))

# A file is written where its dialog says.
asks_for_a_file() {
  local before
  before=$(focus)
  press ctrl+k
  sleep 1
  write "as JSON"
  press Return
  until_ok 30 "the file dialog in front" focus_left "$before"
}
saves() {
  [ "$portal" = kde ] || press ctrl+l
  press ctrl+a
  write "$1"
  # The first one may only close the list of completions.
  for _ in 1 2; do
    press Return
    sleep 1
    if test -s "$1"; then return; fi
  done
  return 1
}
portal=
asks_for_a_file
until_ok 30 "the file dialog" has_windows 2
until_ok 30 "the file" saves "$work/export.json"
until_ok 30 "the file dialog to close" has_windows 1

# Without its window the program goes on, and keeps what was copied.
until_ok 30 "the window to close" closes
until_ok 30 "another program in front again" another_in_front
[ "$name" = weston ] || until_ok 30 "what was copied" pastes

came_and_went() {
  local id
  publish "$1" "$2" 'Priority: urgent'
  until_ok 60 "the toast $2" toast "$2"
  id=$(toast "$2")
  until_ok 60 "the number for docks" badge 1
  tidings mark read --all >/dev/null
  until_ok 60 "the toast $2 to go" gone "$id"
  until_ok 60 "no number for docks" badge 0
}
inhibited() { busctl --user get-property org.freedesktop.Notifications /org/freedesktop/Notifications org.freedesktop.Notifications Inhibited | grep true; }
toast=– again=– quiet=–
if [ -n "$toasts" ]; then
  came_and_went backups "Backup failed"
  toast=yes
  case "$toasts" in
    dunst) do_not_disturb() { dunstctl set-paused "$1"; } ;;
    swaync) do_not_disturb() { if "$1"; then swaync-client --dnd-on; else swaync-client --dnd-off; fi; } ;;
    gnome-shell) do_not_disturb() { gsettings set org.gnome.desktop.notifications show-banners "$(if "$1"; then echo false; else echo true; fi)"; } ;;
    # Plasma is quiet for as long as a program that asked for it is there.
    plasmashell) do_not_disturb() { if "$1"; then start "$(dirname "$0")/inhibit.js" && until_ok 30 "Plasma to be quiet" inhibited; else end inhibit.js; fi; } ;;
  esac
  do_not_disturb true >/dev/null
  # The desktop keeps it back, and nothing urgent pierces that.
  publish builds "Build failed" 'Priority: urgent'
  until_ok 60 "the toast that is kept back" toast "Build failed"
  jq -es 'any(.[]; .member == "Notify" and (.payload.data[3:5] | join("\n") | contains("Build failed")) and .payload.data[6].urgency.data == 1)' \
    "$monitor" >/dev/null || fail "an urgent toast while it is not to be disturbed"
  do_not_disturb false >/dev/null
  tidings mark read --all >/dev/null
  until_ok 60 "the toast that was kept back to go" gone "$(toast "Build failed")"
  quiet=yes
  case "$toasts" in
    gnome-shell) end gjs ;;
    *) end "$toasts" ;;
  esac
  until_ok 30 "the lost daemon" part notifications trouble
  daemon "$toasts"
  came_and_went disks "Disk full"
  again=yes
fi

# The icon: the watcher of the desktop has it, and the doctor knows.
registered() {
  busctl --user --json=short get-property org.kde.StatusNotifierWatcher /StatusNotifierWatcher org.kde.StatusNotifierWatcher \
    RegisteredStatusNotifierItems | jq -e '.data | length == 1'
}
icon=–
if [ -n "$host" ]; then
  until_ok 60 "the icon" registered
  until_ok 30 "the doctor to see the place for icons" part tray well
  end "$host"
  until_ok 60 "the place for icons to be lost" part tray limited
  start_host
  until_ok 60 "the icon again" registered
  icon="yes, again after a lost host"
else
  until_ok 30 "the doctor to miss a place for icons" part tray limited
fi

# With an icon or without one, another start opens the window again.
end another.js
another "$TIDINGS_BIN/tidings-desktop"
until_ok 30 "another program once more" another_in_front
opens() {
  press F9
  sleep 1
  has_windows 1
}
until_ok 60 "the window again" opens
until_ok 30 "the focus again" in_front

# A message is read, and its conversation is open.
reads() {
  press g c
  sleep 1
  press j Return
  sleep 1
  [ "$(tidings unread --json | jq .message)" = 0 ]
}
opens_message() {
  TIDINGS_TOKEN=$bo tidings send --to me "$1" >/dev/null
  until_ok 30 "the message $1" eval "tidings list | grep '$1'"
  until_ok 60 "the open conversation" reads
}
tidings user add bo >/dev/null
bo=$(tidings token create --user bo --scope inbox)

# A picture of another program is pasted into a conversation, and a file is dragged there. Both are sent.
opens_message "Who was at the door?"
again() {
  end another.js
  another "$TIDINGS_BIN/tidings-desktop"
  until_ok 30 "another program $1" another_in_front
}
# Plasma brings the window to the front by itself after a drag.
back() { in_front || if [ "$name" = weston ]; then press super+Tab; else press F9; fi; }
sends() {
  press Return
  sleep 1
  tidings list | grep "$1"
}
again "with a picture"
copies() { press F8 && grep -qx copied "$work/another.js.log"; }
until_ok 30 "a copied picture" copies
back
until_ok 30 "the focus after the copy" in_front
press ctrl+v
until_ok 30 "the picture that was pasted" sends image.png
again "with a file"
drags
back
until_ok 30 "the focus after the drag" in_front
until_ok 30 "the file that was dropped" sends another.js

# As in a Flatpak, the dialog is the one of the desktop's portal.
end tidings-desktop
case "$name" in
  plasma) portal=kde ;;
  gnome) portal=gnome ;;
  *) portal=gtk ;;
esac
start_portal "$portal"
GTK_USE_PORTAL=1 WAYLAND_DEBUG=1 start "$TIDINGS_BIN/tidings-desktop"
program=$!
serving
until_ok 60 "the window that asks the portal" has_windows 1
until_ok 30 "its focus" in_front
opens_message "And now?"
asks_for_a_file
has_windows 1 || fail "it has a dialog of its own"
until_ok 30 "the file by the portal" saves "$work/portal.json"
asked_portal >/dev/null || fail "the portal was not asked"
until_ok 30 "the dialog of the portal to close" in_front

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
  ! kill -0 "$display" 2>/dev/null || fail "it ended without its bus"
  lost="ends with the session"
fi

echo "| $name | $scale | $focus | $portal | $toast | $quiet | $icon | $again | $lost |"
