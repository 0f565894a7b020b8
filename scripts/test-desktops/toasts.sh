#!/usr/bin/env bash
# On the desktop where it runs: starts one notification daemon and Tidings, publishes, and waits for the toast. Looks at what the
# daemon was told, listens for the sound, changes the toast, and marks it read. Clicks another one, and answers a question in its
# toast if the daemon has a field for that. Prints a row of the table in docs/desktops.md.
set -euo pipefail

name=$1
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

# A sound server without a device, whose sounds are recorded. A recorder that asks for no latency gets two seconds at a time, and
# loses what is played into its first ones.
start pulseaudio -n --daemonize=no --exit-idle-time=-1 --load=module-native-protocol-unix --load="module-null-sink sink_name=heard"
# Its device comes after the server answers.
until_ok 60 "the sound server" pactl get-sink-mute heard
parec --raw --latency-msec=50 --device=heard.monitor >"$work/heard" 2>/dev/null &
started+=($!)
until_ok 60 "the recorder" test -s "$work/heard"
heard() { [ -n "$(tr -d '\0' <"$work/heard" | head -c 1 | od -An -tx1)" ]; }

daemon "$name"
capabilities=$(call GetCapabilities | jq -r '.data[0][]')
version=$(call GetServerInformation | jq -r '.data[2]')
has() { if grep -qxF "$1" <<<"$capabilities"; then echo yes; else echo –; fi; }

# The window of a toast on X is the one that the daemon did not have before.
windows() { xdotool search --onlyvisible --class "$name" 2>/dev/null | sort; }
if [ -z "${WAYLAND_DISPLAY:-}" ]; then before=$(windows || :); fi
window() { comm -13 <(echo "$before") <(windows) | tail -n 1 | grep .; }
# press X Y: the pointer goes to this place on the window of the toast, from the right and from below if it is negative.
press() {
  local toast width height
  toast=$(window) || return
  read -r width height < <(xdotool getwindowgeometry "$toast" | sed -n 's/.*Geometry: \(.*\)x/\1 /p') || return
  xdotool mousemove --window "$toast" $((($1 + width) % width)) $((($2 + height) % height)) click 1
}
# Tells GNOME's shell to do something.
shell() { busctl --user call org.gnome.Shell /org/gnome/Shell org.gnome.Shell Eval s "$1"; }
# A click on the toast itself: by a program of the daemon's, with a key, as its shell does it, or with the pointer.
click() {
  case "$name" in
    dunst) dunstctl action 0 ;;
    mako) makoctl invoke ;;
    swaync) swaync-client --open-panel && wtype -k Return ;;
    gnome-shell) shell 'Main.messageTray.getSources().find(source => source.title === "Tidings").notifications[0].activate()' ;;
    # It closes a toast that is clicked; what a click does elsewhere is its first button.
    xfce4-notifyd) press 40 -30 ;;
    *) press 40 60 ;;
  esac
}
# signalled MEMBER DATA: whether the daemon has said this.
signalled() { jq -es --arg member "$1" --argjson data "$2" 'any(.[]; .member == $member and .payload.data == $data)' "$monitor"; }
clicked() { signalled ActionInvoked "[$1, \"default\"]" || { click && sleep 1 && signalled ActionInvoked "[$1, \"default\"]"; }; }
can() { [ "$(has "$1")" = yes ]; }
# sent TEXT FILTER: whether this holds of the last call with this text.
sent() {
  jq -es --arg text "$1" '[.[] | select(.member == "Notify" and (.payload.data[3:5] | join("\n") | contains($text)))] | last | .payload.data
    | {icon: .[2], body: .[4], keys: [.[5] | range(0; length; 2) as $i | .[$i]], hints: (.[6] | map_values(.data))} | '"$2" \
    "$monitor" >/dev/null
}
told() { sent "$@" || fail "of the toast $1 this is not so: $2"; }

listen
start "$TIDINGS_BIN/tidings-desktop" --background
serving
publish backups "Backup failed" 'Priority: urgent' 'Actions: view, Open, https://example.org'
until_ok 60 "the toast" toast "Backup failed"
id=$(toast "Backup failed")
told "Backup failed" '.icon == "org.tidings.desktop" and .hints["desktop-entry"] == .icon'
told "Backup failed" '.hints.urgency == 2 and (.hints | has("resident") or has("transient") | not)'
if can body-markup; then text='did &lt;b&gt;not&lt;/b&gt; answer'; else text='did <b>not</b> answer'; fi
! can body || told "Backup failed" ".body | contains(\"$text\")"
if can actions; then buttons='["default", "read", "archive", "own-0"]'; else buttons='[]'; fi
told "Backup failed" ".keys == $buttons"
# A daemon that plays the sounds of the theme is told which one; else Tidings plays it. It is heard in both cases.
sound="of the daemon"
if ! can sound || sent "Backup failed" '.hints["suppress-sound"]'; then
  told "Backup failed" '.hints["suppress-sound"] and (.hints | has("sound-name") | not)'
  sound="of Tidings"
else
  told "Backup failed" '.hints["sound-name"] == "dialog-warning" and (.hints | has("suppress-sound") | not)'
fi
heard_in_turn() {
  heard && return
  # GNOME's own toast, that there is no lock, stays until somebody is there, and others wait for it with their sounds.
  [ "$name" != gnome-shell ] || shell 'const { _notification: shown } = Main.messageTray;
    if (shown && shown.source.title !== "Tidings") Main.messageTray._expireNotification()'
  return 1
}
until_ok 60 "its sound" heard_in_turn

# The thread goes on: the daemon gives the same toast another text, or puts another one in its place.
publish backups "Backup failed again" 'Priority: urgent'
until_ok 60 "the change of the toast" toast "2 new in"
changed=$(toast "2 new in")
in_place=–
[ "$changed" != "$id" ] || in_place=yes
"$TIDINGS_BIN/tidings" mark read --all >/dev/null
until_ok 60 "the toast to go" gone "$changed"

publish disks "Disk full"
until_ok 60 "the toast to click" toast "Disk full"
id=$(toast "Disk full")
told "Disk full" '.hints.urgency == 1'
until_ok 60 "the click" clicked "$id"
until_ok 60 "the clicked toast to go" gone "$id"
case "$name" in
  xfce4-notifyd) click="with its button" ;;
  *) click=yes ;;
esac

# What is written in a toast is the answer to its question.
answers=–
if can inline-reply; then
  "$TIDINGS_BIN/tidings" ask --text --timeout 2m "Restart nas-2?" >"$work/answer" 2>"$work/ask.log" &
  asks=$!
  until_ok 60 "the toast of the question" toast "Restart nas-2?"
  id=$(toast "Restart nas-2?")
  told "Restart nas-2?" '.keys[1] == "inline-reply"'
  has_field() { press -30 -20 && sleep 0.5 && [ "$(xdotool getwindowfocus)" = "$(window)" ]; }
  until_ok 30 "the field for the answer" has_field
  xdotool type "after lunch"
  xdotool key Return
  until_ok 30 "the answer in the toast" signalled NotificationReplied "[$id, \"after lunch\"]"
  wait "$asks" || :
  grep -qx "after lunch" "$work/answer" || fail "the question was answered with: $(cat "$work/answer")"
  answers=yes
fi

echo "| $name $version | $(has body) | $(has body-markup) | $(has actions) | $click | $in_place | $(has persistence) | $answers | $sound |"
