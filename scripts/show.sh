#!/usr/bin/env bash
# On the desktop where it runs: opens Tidings with an empty data folder, publishes real notifications with
# curl, waits until list, badge and toast are there, takes a picture of the whole screen, and quits.
#
#   scripts/show.sh PICTURE [--empty]      --empty publishes nothing: the first run
# TIDINGS_BIN is the folder of the built programs.
set -euo pipefail
cd "$(dirname "$0")/.."

picture=$1
mode=${2:-}
work=$(mktemp -d)
export TIDINGS_DATA_DIR="$work/data"
app=
leave() {
  [ -n "$app" ] && kill "$app" 2>/dev/null && wait "$app" 2>/dev/null
  rm -rf "$work"
  return 0
}
trap leave EXIT

fail() {
  echo "show.sh: $*" >&2
  tail -n 40 "$work/app.log" >&2 || true
  exit 1
}

# until SECONDS WHAT COMMAND…: asks until the command succeeds.
until_ok() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    kill -0 "$app" 2>/dev/null || fail "the app ended while waiting for $what"
    [ "$SECONDS" -lt "$end" ] || fail "waited in vain for $what"
    sleep 0.1
  done
}

# A plain, friendly background in place of the bare X screen.
display -window root -size 2x2 'xc:#5b7f8f' 2>/dev/null || true

"$TIDINGS_BIN/tidings-desktop" >"$work/app.log" 2>&1 &
app=$!

endpoint="$TIDINGS_DATA_DIR/endpoint.json"
field() { sed -n "s/.*\"$1\" *: *\"\([^\"]*\)\".*/\1/p" "$endpoint"; }
until_ok 60 "the app's own server" test -s "$endpoint"
url=$(field url) token=$(field token)
until_ok 30 "$url/api/v1/health" curl -fsS -m 2 "$url/api/v1/health"
until_ok 60 "the window" xdotool search --onlyvisible --class tidings
echo "Tidings answers at $url"

say() { curl -fsS -m 10 "$@" >/dev/null; }
api() { say -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d "$2" -X "${3:-POST}" "$url/api/v1$1"; }
unread() { "$TIDINGS_BIN/tidings" unread --json | sed -n 's/.*"total" *: *\([0-9]*\).*/\1/p' | head -n 1; }
holds() { [ "$(unread)" -eq "$1" ]; }
holds_less_than() { [ "$(unread)" -lt "$1" ]; }
toast_is_shown() { [ "$(dunstctl count displayed)" -ge 1 ]; }

published=0
publish() { say "$@" && published=$((published + 1)); }

if [ "$mode" != --empty ]; then
  # Four threads with a toast and two that are too faint for one: a fifth toast would still be no storm.
  publish -H 'Title: Nightly build 4127' -H 'Tags: white_check_mark,ci' -H 'X-Markdown: yes' -d $'All **318 tests** passed in `6m 12s`.\n\n| target | result |\n|---|---|\n| linux | ok |\n| windows | ok |' "$url/builds"
  publish -H 'Title: Disk space' -H 'Priority: high' -H 'Tags: warning' -d '/var is 91 % full on nas-2' "$url/servers"
  publish -H 'Title: Certificate' -H 'Priority: urgent' -H 'Click: https://status.example.org' -d 'mail.example.org expires in 3 days' "$url/servers"
  publish -H 'Title: 家里' -d '洗衣机已完成，可以晾衣服了' "$url/home"
  publish -H 'Title: Parcel' -H 'Priority: min' -H 'Tags: package' -d 'Your parcel will arrive today between 14:00 and 16:00' "$url/parcels"
  publish -H 'Priority: min' -d 'Wattage back to normal' "$url/heat-pump"

  api /subscriptions '{"target":{"type":"article","id":"42"},"reason":"create_article"}' PUT
  comment() {
    api /reminders "{\"actor\":{\"id\":\"${1,,}\",\"name\":\"$1\"},\"action\":\"comment\",\"target\":{\"type\":\"article\",\"id\":\"42\",\"title\":\"Rust in 2026\",\"url\":\"https://blog.example.org/42\",\"owner\":\"me\"},\"body\":\"$2\"}"
    published=$((published + 1))
  }
  comment Ana "The part about pulling by stamps is what I was looking for."
  comment Bo "Does the same hold when the clock goes back?"
  comment Chen "It does: a stamp is never smaller than the one before."
  comment Dana "我们的手机端也用这种方式，没有再丢过消息。"
  comment Emil "Is there a figure for a backlog of a million?"
  until_ok 30 "the inbox to hold $published" holds "$published"
  dunstctl close-all 2>/dev/null || true
  # Urgent, so that its toast stays for the picture however long the page takes.
  publish -H 'Title: Backup failed' -H 'Priority: urgent' -d 'nas-2 did not answer; next try at 03:00' "$url/backups"
  until_ok 20 "a toast" toast_is_shown
fi

# The page is there once two pictures in a row are the same and not blank.
mkdir -p "$(dirname "$picture")"
settled() {
  import -window root "$work/1.png" && sleep 0.4 && import -window root "$work/2.png" &&
    cmp -s <(convert "$work/1.png" rgb:-) <(convert "$work/2.png" rgb:-) &&
    [ "$(convert "$work/2.png" -format %k info:)" -gt 400 ]
}
until_ok 30 "the page to be drawn" settled
if [ "$mode" != --empty ]; then
  # The second thread of the list is chosen by its keys; staying on it reads it.
  window=$(xdotool search --onlyvisible --class tidings | head -n 1)
  xdotool windowactivate --sync "$window" key j key j
  until_ok 20 "the opened thread to be read" holds_less_than "$published"
  until_ok 30 "the thread to be drawn" settled
  toast_is_shown || fail "the toast went before the picture"
fi
cp "$work/2.png" "$picture"
[ "$mode" = --empty ] || echo "Published $published notifications; $(unread) unread"

kill -TERM "$app"
wait "$app" || true
app=
echo "Picture: $picture"
