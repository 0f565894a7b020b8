#!/usr/bin/env bash
# Runs a command on a desktop of its own: X display, window manager, tray host, notification
# daemon, session bus, home and XDG folders. All of it is gone afterwards; several may run side by side.
#
#   scripts/with-desktop.sh [OPTION…] -- COMMAND…
#
# --no-panel  no tray host            --no-dunst  no notification daemon (one may be started later)
# --no-bus    no session bus at all   --keyring   an unlocked Secret Service (none without it)
# --dark      the desktop prefers dark  --a11y    the bus of screen readers
# --lang L    the locale, for example zh_CN.UTF-8 (en_US.UTF-8)
# --size WxH  of the screen (1280x800)
# --home FOLDER  a home that stays, for sessions in a row  --service NAME  an installed program that the bus may start
set -uo pipefail

panel=1 toasts=1 bus=1 keyring=0 dark=0 a11y=0 locale=en_US.UTF-8 size=1280x800 home= service=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  case "$1" in
    --no-panel) panel=0 ;;
    --no-dunst) toasts=0 ;;
    --no-bus) bus=0 ;;
    --keyring) keyring=1 ;;
    --dark) dark=1 ;;
    --a11y) a11y=1 ;;
    --lang) locale=$2; shift ;;
    --size) size=$2; shift ;;
    --home) home=$2; shift ;;
    --service) service=$2; shift ;;
    *) echo "with-desktop.sh: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done
[ $# -gt 1 ] || { echo "with-desktop.sh: no command after --" >&2; exit 2; }
shift

# HOME moves below; the toolchain stays where it is.
export CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}"

work=$(mktemp -d "${TMPDIR:-/tmp}/tidings-desktop.XXXXXX")
xvfb=
leave() {
  [ -n "$xvfb" ] && kill "$xvfb" 2>/dev/null && wait "$xvfb" 2>/dev/null
  rm -rf "$work"
}
trap leave EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
trap 'exit 129' HUP

export HOME="${home:-$work/home}" XDG_RUNTIME_DIR="$work/run"
export XDG_CONFIG_HOME="$HOME/.config" XDG_DATA_HOME="$HOME/.local/share"
export XDG_CACHE_HOME="$HOME/.cache" XDG_STATE_HOME="$HOME/.local/state"
mkdir -p "$XDG_RUNTIME_DIR" "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME"
chmod 700 "$XDG_RUNTIME_DIR"
unset WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS TIDINGS_DATA_DIR TIDINGS_SERVER TIDINGS_TOKEN
unset WEBKIT_DISABLE_DMABUF_RENDERER # with it, a WebDriver screenshot never returns
export GDK_BACKEND=x11 GTK_USE_PORTAL=0 LIBGL_ALWAYS_SOFTWARE=1
[ "$a11y" = 1 ] || export NO_AT_BRIDGE=1
export GSETTINGS_BACKEND=memory
unset LC_ALL LC_MESSAGES LANGUAGE
export LANG="$locale" LC_CTYPE=C.UTF-8
[ "$dark" = 1 ] && export GTK_THEME=Adwaita:dark

# The interface font of the drawings, wherever it is installed.
mkdir -p "$XDG_CONFIG_HOME/fontconfig"
cat >"$XDG_CONFIG_HOME/fontconfig/fonts.conf" <<'X'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <alias binding="same"><family>system-ui</family><prefer><family>Inter</family><family>Noto Sans</family><family>Noto Sans CJK SC</family></prefer></alias>
  <alias binding="same"><family>sans-serif</family><prefer><family>Inter</family><family>Noto Sans</family><family>Noto Sans CJK SC</family></prefer></alias>
  <alias binding="same"><family>sans</family><prefer><family>Inter</family><family>Noto Sans</family><family>Noto Sans CJK SC</family></prefer></alias>
  <match target="font"><edit name="hinting" mode="assign"><bool>false</bool></edit><edit name="rgba" mode="assign"><const>none</const></edit></match>
</fontconfig>
X
mkdir -p "$XDG_CONFIG_HOME/gtk-3.0"
printf '[Settings]\ngtk-font-name=Inter 10\ngtk-application-prefer-dark-theme=%s\n' "$dark" >"$XDG_CONFIG_HOME/gtk-3.0/settings.ini"

mkdir -p "$XDG_CONFIG_HOME/dunst"
cat >"$XDG_CONFIG_HOME/dunst/dunstrc" <<'X'
[global]
    font = Inter 10
    width = 340
    offset = 16x48
    origin = top-right
    frame_width = 1
    frame_color = "#c9d0d4"
    corner_radius = 6
    padding = 12
    horizontal_padding = 14
    markup = full
    show_indicators = no
    format = "<b>%s</b>\n%b"
    icon_position = left
    max_icon_size = 40
[urgency_low]
    background = "#ffffff"
    foreground = "#1a2125"
[urgency_normal]
    background = "#ffffff"
    foreground = "#1a2125"
[urgency_critical]
    background = "#ffffff"
    foreground = "#1a2125"
    frame_color = "#b3261e"
X

panel_conf="$XDG_CONFIG_HOME/xfce4/xfconf/xfce-perchannel-xml"
mkdir -p "$panel_conf"
cat >"$panel_conf/xfce4-panel.xml" <<'X'
<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="dark-mode" type="bool" value="true"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="length" type="uint" value="100"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="size" type="uint" value="32"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="systray"><property name="square-icons" type="bool" value="true"/></property>
  </property>
</channel>
X

# Until a window manager has set the number of desktops, keys and requests for a window reach nobody.
wait_for_window_manager() {
  for _ in {1..1200}; do
    xdotool get_num_desktops >/dev/null 2>&1 && return
    sleep 0.1
  done
  echo "with-desktop.sh: openbox did not start" >&2
}
export -f wait_for_window_manager

mkfifo "$work/display"
exec 7<>"$work/display"
# Without -noreset the display ends all connections when its last program leaves, also one that just begins.
Xvfb -displayfd 7 -screen 0 "${size}x24" -nolisten tcp -noreset >"$work/xvfb.log" 2>&1 7>&7 &
xvfb=$!
read -r -t 120 -u 7 display || { cat "$work/xvfb.log" >&2; exit 1; }
exec 7>&-
export DISPLAY=":$display"

if [ "$bus" = 0 ]; then
  export DBUS_SESSION_BUS_ADDRESS="unix:path=$work/no-bus"
  openbox >/dev/null 2>&1 &
  wm=$!
  wait_for_window_manager
  unset -f wait_for_window_manager
  "$@"
  rc=$?
  kill "$wm" 2>/dev/null
  exit "$rc"
fi

# A bus that starts nothing by itself but the panel's settings: what a desktop lacks stays lacking.
mkdir -p "$work/services"
cp /usr/share/dbus-1/services/org.xfce.Xfconf.service "$work/services/" 2>/dev/null
[ "$a11y" = 0 ] || cp /usr/share/dbus-1/services/org.a11y.Bus.service "$work/services/"
[ -z "$service" ] || cp "/usr/share/dbus-1/services/$service.service" "$work/services/"
cat >"$work/bus.conf" <<X
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=$work/run</listen>
  <auth>EXTERNAL</auth>
  <servicedir>$work/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
X

export TIDINGS_PANEL=$panel TIDINGS_TOASTS=$toasts TIDINGS_KEYRING=$keyring
# shellcheck disable=SC2016
dbus-run-session --config-file="$work/bus.conf" -- bash -c '
  started=
  if [ "$TIDINGS_KEYRING" = 1 ]; then
    printf test | gnome-keyring-daemon --unlock --components=secrets --foreground >/dev/null 2>&1 & started=$!
    gdbus wait --session --timeout 120 org.freedesktop.secrets
  fi
  # All begin at once; each is waited for afterwards.
  openbox >/dev/null 2>&1 & started="$started $!"
  if [ "$TIDINGS_TOASTS" = 1 ]; then
    dunst >/dev/null 2>&1 & started="$started $!"
  fi
  if [ "$TIDINGS_PANEL" = 1 ]; then
    xfce4-panel --disable-wm-check >/dev/null 2>&1 & started="$started $!"
    gdbus wait --session --timeout 120 org.kde.StatusNotifierWatcher
  fi
  if [ "$TIDINGS_TOASTS" = 1 ]; then
    gdbus wait --session --timeout 120 org.freedesktop.Notifications
  fi
  wait_for_window_manager
  unset TIDINGS_PANEL TIDINGS_TOASTS TIDINGS_KEYRING
  unset -f wait_for_window_manager
  trap "exit 143" TERM
  "$@" 2>&8 8>&-
  rc=$?
  kill $started 2>/dev/null
  wait
  exit $rc' _ "$@" 8>&2 2>"$work/bus.log" # the bus talks to itself; only the command is heard
exit $?
