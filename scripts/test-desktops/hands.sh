# What a person does in a session and sees of it; sourced by session.sh. `log` is what the program said.

# A compositor in a window of the X display, where keys can be pressed and the screen can be looked at. `display` is the process
# without which no program has a window; the display itself is of the parent of this story.
screen=$DISPLAY display=$PPID
in_a_window() {
  case "$1" in
    sway)
      # The focus by a token is sway's own choice, and not what it does by itself.
      printf '%s\n' 'output * scale 1.5' 'xwayland disable' 'focus_on_window_activation focus' 'bindsym Mod1+F4 kill' \
        'for_window [title="Another"] floating enable' >"$work/sway.conf"
      WLR_BACKENDS=x11 WLR_RENDERER=pixman start sway --config "$work/sway.conf"
      ;;
    weston) start weston --backend=x11-backend.so --use-pixman --no-config --scale=2 --width=600 --height=440 ;;
    kwin_wayland)
      # As a copy it has no capabilities, which not every machine lets it have.
      cp "$(command -v kwin_wayland)" "$work/kwin_wayland"
      start "$work/kwin_wayland" --x11-display "$screen" --no-lockscreen --scale 1.5 --width 800 --height 500
      ;;
    mutter | gnome-shell)
      system_bus
      gsettings set org.gnome.mutter experimental-features "['scale-monitor-framebuffer']"
      MUTTER_DEBUG_DUMMY_MODE_SPECS=1200x750 MUTTER_DEBUG_DUMMY_MONITOR_SCALES=1.5 start "$1" --nested --wayland --no-x11
      ;;
  esac
  display=$!
  on_compositor "$1"
  # Openbox, which shows the window, leaves all keys to it.
  mkdir -p "$XDG_CONFIG_HOME/openbox"
  echo '<openbox_config xmlns="http://openbox.org/3.4/rc"><keyboard/></openbox_config>' >"$XDG_CONFIG_HOME/openbox/rc.xml"
  DISPLAY=$screen openbox --reconfigure >/dev/null 2>&1
}
press() { DISPLAY=$screen xdotool key --delay 80 "$@"; }
pointer() { DISPLAY=$screen xdotool "$@"; }
write() { DISPLAY=$screen xdotool type --delay 40 -- "$1"; }
# How bright the screen is, in percent.
brightness() { import -display "$screen" -silent -window root png:- | convert png:- -resize '1x1!' -colorspace Gray -format '%[fx:round(100*mean)]' info:; }
darker() { [ "$(brightness)" -le "$1" ]; }

# How many windows the program has. On Wayland it tells what it asks of the compositor.
windows() {
  if [ -n "${WAYLAND_DISPLAY:-}" ]; then
    echo $(($(grep -c 'xdg_surface@[0-9]*\.get_toplevel(' "$log") - $(grep -c 'xdg_toplevel@[0-9]*\.destroy()' "$log")))
  else
    # GTK has one of a point for what is dragged, on no desktop.
    xdotool search --desktop 0 --onlyvisible --class tidings | wc -l
  fi
}
has_windows() { [ "$(windows)" = "$1" ]; }
# The window that the keys reach. On Wayland the program is told when they enter a window of its own and leave it.
focus() {
  if [ -n "${WAYLAND_DISPLAY:-}" ]; then
    grep -o 'wl_keyboard@[0-9]*\.\(enter\|leave\)([^)]*' "$log" | tail -n 1
  else
    xdotool getactivewindow getwindowname
  fi
}
focus_left() { [ "$(focus)" != "$1" ]; }
# Whether the keys that are pressed reach the program.
in_front() { focus | grep -q 'Tidings\|enter'; }

# Starts the portal with this backend alone, and listens what its file dialogs are asked and say.
start_portal() {
  mkdir "$work/portals"
  cp "/usr/share/xdg-desktop-portal/portals/$1.portal" "$work/portals"
  start "$(find /usr/libexec /usr/lib/*/libexec -name "xdg-desktop-portal-$1")"
  XDG_DESKTOP_PORTAL_DIR=$work/portals start /usr/libexec/xdg-desktop-portal
  until_ok 60 "the portal" busctl --user introspect org.freedesktop.portal.Desktop /org/freedesktop/portal/desktop org.freedesktop.portal.FileChooser
  stdbuf -oL busctl --user --json=short --match="interface='org.freedesktop.portal.FileChooser'" \
    --match="interface='org.freedesktop.portal.Request'" monitor >"$work/portal.log" 2>/dev/null &
  started+=($!)
}
# Whether a file dialog of the portal was asked for, and said that a file was chosen.
asked_portal() { jq -es 'any(.[]; .member == "SaveFile") and any(.[]; .member == "Response" and .payload.data[0] == 0)' "$work/portal.log"; }

# Another program. `another_in_front` is whether the keys reach it, and `another_has` whether its field has this text.
another() { start "$(dirname "$0")/another.js" "$@"; }
another_in_front() {
  # GNOME begins with an overview of all windows, in which none has the keys.
  [ "$name" != gnome ] || busctl --user set-property org.gnome.Shell /org/gnome/Shell org.gnome.Shell OverviewActive b false
  grep -E '^(in front|behind)$' "$work/another.js.log" | tail -n 1 | grep -q 'in front'
}
another_has() { grep '^text: ' "$work/another.js.log" | tail -n 1 | grep -qxF "text: $1"; }

# Weston moves its pointer by as much as that of the display, and begins in the other corner.
meets_pointer() { pointer getactivewindow sleep 0.5 mousemove --window %1 1190 740 sleep 0.5 mousemove --window %1 10 10 sleep 0.5; }
# Whether the bar of another program is drawn and stays where it is: `bar` is the size of the screen, that of the bar, and where
# it is. Nothing else has its colour.
bar_is_still() {
  local before=${bar:-}
  bar=$(import -display "$screen" -silent -window "$1" png:- | convert png:- -fill black +opaque '#f0f' -format '%w %h %@' info: | tr 'x+' '  ')
  [ "$bar" = "$before" ] && [[ $bar != *' 0 0 '* ]]
}
# Drags the file of another program onto the window, which is larger, from the bar to a place beside the other window.
drags() {
  local window=root at=() wide high width height x y to step
  if [ -n "${WAYLAND_DISPLAY:-}" ]; then
    window=$(pointer getactivewindow)
    at=(--window "$window")
  fi
  until_ok 30 "the bar of another program" bar_is_still "$window"
  read -r wide high width height x y <<<"$bar"
  to=$((wide * 9 / 10))
  [ $((x + width + 20)) -lt "$to" ] || [ $((y * 10)) -gt $((high * 6)) ] || to=$((x / 2))
  x=$((x + width / 2)) y=$((y + height / 2))
  [ "$name" != weston ] || meets_pointer
  pointer mousemove "${at[@]}" "$x" "$y" mousedown 1
  # It begins once the pointer has moved a little, and each move over the page asks it again.
  for step in 20 40 60 80 92 94 96 98 100; do
    sleep 0.3
    pointer mousemove "${at[@]}" $((x + (to - x) * step / 100)) $((y + (high * 4 / 10 - y) * step / 100))
  done
  sleep 0.3
  pointer mouseup 1
}

# Closes the window by the desktop's keys. Weston has none, and there it is the button in the corner of a window that is as
# large as the screen.
closes() {
  if [ "$name" = weston ]; then
    press super+shift+m
    meets_pointer
    pointer getactivewindow mousemove --window %1 1173 110 sleep 0.5 click 1
  else
    press alt+F4
  fi
  sleep 1
  has_windows 0
}
