# What the tests of daemons and of sessions share; sourced by both. It needs `name`, which is what they try.

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
  tail -n 5 "$work"/*.log | cut -c1-400 >&2 || :
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
# Ends a program that was started, by its name, and waits until it is gone.
end() {
  local pid
  pid=$(for one in "${started[@]}"; do [ "$(cat "/proc/$one/comm" 2>/dev/null)" != "$(cut -c1-15 <<<"$1")" ] || echo "$one"; done)
  [ -n "$pid" ] || fail "$1 has ended by itself"
  kill "$pid"
  wait "$pid" || :
}

# An empty system bus, which GNOME's compositors want.
system_bus() {
  DBUS_SYSTEM_BUS_ADDRESS=$(dbus-daemon --session --fork --print-address=1 --print-pid=3 3>"$work/system-bus")
  started+=("$(cat "$work/system-bus")")
  export DBUS_SYSTEM_BUS_ADDRESS
}
# Waits for the compositor with this name. From now on programs are its own.
on_compositor() {
  unset DISPLAY
  until_ok 60 "$1" eval 'ls "$XDG_RUNTIME_DIR"/wayland-? '
  WAYLAND_DISPLAY=$(basename "$(ls -d "$XDG_RUNTIME_DIR"/wayland-? | head -n 1)")
  export WAYLAND_DISPLAY GDK_BACKEND=wayland QT_QPA_PLATFORM=wayland XDG_SESSION_TYPE=wayland
}
# A compositor without a screen, for the daemons that want one.
compositor() {
  case "$1" in
    sway)
      printf 'output * scale 1.5\nxwayland disable\n' >"$work/sway.conf"
      WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1 start sway --config "$work/sway.conf"
      ;;
    gnome-shell)
      system_bus
      # It takes what a test tells it in its unsafe mode alone.
      start gnome-shell --unsafe-mode --headless --wayland --no-x11 --virtual-monitor 1280x800
      ;;
  esac
  on_compositor "$1"
}

load_place_for_icons() {
  until_ok 60 "Plasma's place for icons" busctl --user call org.kde.kded5 /kded org.kde.kded5 loadModule s statusnotifierwatcher
}
# Starts a notification daemon, with the compositor that it draws on if that is not there yet.
daemon() {
  case "$1" in
    xfce4-notifyd) start /usr/lib/*/xfce4/notifyd/xfce4-notifyd ;;
    mate-notification-daemon) start /usr/lib/mate-notification-daemon/mate-notification-daemon ;;
    mako | swaync)
      [ -n "${WAYLAND_DISPLAY:-}" ] || compositor sway
      start "$1"
      ;;
    gnome-shell)
      [ -n "${WAYLAND_DISPLAY:-}" ] || compositor gnome-shell
      until_ok 60 "the shell" busctl --user status org.gnome.Shell
      start gjs /usr/share/gnome-shell/org.gnome.Shell.Notifications
      ;;
    plasmashell)
      start /usr/lib/*/libexec/kactivitymanagerd
      start kded5
      load_place_for_icons
      XDG_CURRENT_DESKTOP=KDE start plasmashell
      ;;
    *) start "$1" ;;
  esac
  until_ok 60 "the daemon" call GetServerInformation
}

call() { busctl --user --json=short call org.freedesktop.Notifications /org/freedesktop/Notifications org.freedesktop.Notifications "$1"; }

# Whatever is said on the bus to the daemon and by it. Line by line; what the program says itself is not JSON.
listen() {
  monitor=$work/monitor.log
  stdbuf -oL busctl --user --json=short monitor org.freedesktop.Notifications >"$monitor" 2>/dev/null &
  started+=($!)
}
# Waits until Tidings takes publications.
serving() {
  local endpoint=$TIDINGS_DATA_DIR/endpoint.json
  until_ok 60 "the server" test -s "$endpoint"
  url=$(jq -r .url "$endpoint")
  until_ok 60 "the server's answer" curl -fsS -m 2 "$url/api/v1/health"
}
# publish TOPIC TITLE [HEADER…]
publish() {
  local topic=$1 headers=(-H "Title: $2")
  shift 2
  for header in "$@"; do headers+=(-H "$header"); done
  curl -fsS -m 10 "${headers[@]}" -d 'nas-2 did <b>not</b> answer' "$url/$topic" >/dev/null
}
# The daemon's id of a toast: what it answered to the last call with this text.
toast() {
  jq -ers --arg text "$1" '([.[] | select(.member == "Notify" and (.payload.data[3:5] | join("\n") | contains($text)))] | last) as $call
    | [.[] | select(.type == "method_return" and .reply_cookie == $call.cookie and .destination == $call.sender)][0].payload.data[0]' "$monitor"
}
# Whether a toast, by its id, is gone.
gone() { jq -es --argjson id "$1" 'any(.[]; .member == "NotificationClosed" and .payload.data[0] == $id)' "$monitor"; }
