#!/usr/bin/env bash
# A session of the story of scripts/test-package.sh, on a desktop and as a user: first, again or later.
set -euo pipefail

part=$1
data=$HOME/.local/share/tidings
url=http://127.0.0.1:7878

fail() {
  echo "test-package: $part: $*" >&2
  tail -n 20 "$data"/logs/* >&2 2>/dev/null || :
  import -window root /pictures/failed.png || :
  exit 1
}

# until_ok SECONDS WHAT COMMAND…
until_ok() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || fail "waited in vain for $what"
    sleep 0.2
  done
}

item() {
  busctl --user --json=short get-property org.kde.StatusNotifierWatcher /StatusNotifierWatcher \
    org.kde.StatusNotifierWatcher RegisteredStatusNotifierItems | jq -er '.data[0]'
}
# The number on the icon in the panel, as its tooltip has it.
badge_is() {
  local item path=/StatusNotifierItem
  item=$(item)
  case "$item" in */*) path=/${item#*/} ;; esac
  busctl --user --json=short get-property "${item%%/*}" "$path" org.kde.StatusNotifierItem ToolTip | grep -q "[^0-9]$1 unread"
}
toast_is_shown() { [ "$(dunstctl count displayed)" -ge 1 ]; }
window_is_open() { xdotool search --onlyvisible --class tidings; }
unread() { tidings unread --json | jq -er .total; }
holds() { [ "$(unread)" = "$1" ]; }
ended() { ! pgrep --exact tidings-desktop; }
quit() {
  pkill --exact --signal TERM tidings-desktop
  until_ok 30 "the program to end" ended
}
say() { curl -fsS -m 10 "$@" >/dev/null; }

# Something of all that a person can have.
fill() {
  local token msgid
  token=$(jq -r .token "$data/endpoint.json")
  api() { say -X "$1" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d "$3" "$url/api/v1$2"; }
  say -H 'Title: Nightly build' -H 'Priority: high' -H 'Tags: ci' -H 'X-Markdown: yes' -d 'All **318 tests** passed' "$url/builds"
  head -c 20000 /dev/urandom >/tmp/picture
  say -T /tmp/picture -H 'Filename: data.bin' "$url/photos"
  say -H 'Title: 家里' -H 'Click: https://example.org' -H 'Actions: view, Open, https://example.org' -d '洗衣机已完成' "$url/home"
  api PUT /subscriptions '{"target":{"type":"article","id":"42"},"reason":"create_article"}'
  api POST /reminders '{"actor":{"id":"bo","name":"Bo"},"action":"comment","target":{"type":"article","id":"42","title":"Rust in 2026","owner":"me"},"body":"Good"}'
  say -H 'X-Ask: Yes,No' -d 'Open the gate?' "$url/doors"
  tidings user add bo --name Bo >/dev/null
  tidings token create --user bo --scope inbox >/dev/null
  say -d "To be read" "$url/backups"
  until_ok 30 "what was published" holds "${1:?}"
  msgid=$(tidings list --json | jq -er '[.. | .msgid? // empty][0]')
  tidings mark read -- "$msgid" >/dev/null
}

# What stays the same whenever a mark reaches the server.
export_all() {
  tidings export --format json --of inbox | jq -cS '.[] | {msgid, kind, title, body, attachment, question, read: (.read_at != null)}'
  tidings export --format json --of server | jq -cS '.[] | {msgid, kind, title, body}'
}

case "$part" in
  first)
    gio launch /usr/share/applications/org.tidings.desktop.desktop
    until_ok 60 "the window" window_is_open
    until_ok 30 "the server" curl -fsS -m 2 "$url/api/v1/health"
    say -d "Backup done" "$url/backups"
    until_ok 30 "the toast" toast_is_shown
    until_ok 30 "the number on the icon" badge_is 1
    fill 7
    # What the switch "Start with the computer" in the settings writes.
    mkdir -p "$HOME/.config/autostart"
    printf '[Desktop Entry]\nType=Application\nName=Tidings\nExec=/usr/bin/tidings-desktop --background\n' >"$HOME/.config/autostart/Tidings.desktop"
    sleep 1
    import -window root /pictures/first.png
    quit
    unread >"$HOME/unread"
    export_all >"$HOME/exported"
    [ -s "$HOME/exported" ] || fail "nothing was exported"
    ;;
  again)
    gio launch "$HOME/.config/autostart/Tidings.desktop"
    until_ok 60 "the server" curl -fsS -m 2 "$url/api/v1/health"
    until_ok 30 "the number on the icon" badge_is "$(cat "$HOME/unread")"
    ! window_is_open || fail "a window opened with the session"
    diff "$HOME/exported" <(export_all) >&2 || fail "the upgrade changed the inbox"
    tidings check >/dev/null || fail "the numbers are wrong"
    say -d "Backup done again" "$url/backups"
    until_ok 30 "the toast" toast_is_shown
    until_ok 30 "the number on the icon" badge_is "$(($(cat "$HOME/unread") + 1))"
    # A second start shows the window of the first.
    gio launch /usr/share/applications/org.tidings.desktop.desktop
    until_ok 60 "the window" window_is_open
    sleep 1
    import -window root /pictures/again.png
    quit
    ;;
  later)
    if said=$(tidings unread 2>&1); then fail "a file of a later version was read: $said"; fi
    grep -q 'it was left untouched' <<<"$said" || fail "it says: $said"
    # By the bus, as desktops start what its entry calls DBusActivatable.
    gapplication launch org.tidings.desktop
    until_ok 60 "the window" window_is_open
    until_ok 30 "the sentence in the log" grep -rq 'left untouched' "$data/logs"
    sleep 3
    import -window root /pictures/later.png
    quit
    ;;
  *) fail "no such part" ;;
esac
