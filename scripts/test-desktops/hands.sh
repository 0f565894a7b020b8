# What a person does in a session and sees of it; sourced by session.sh. `log` is what the program said.

# A compositor in a window of the X display, where keys can be pressed and the screen can be looked at. `display` is the process
# without which no program has a window; the display itself is of the parent of this story.
screen=$DISPLAY display=$PPID
in_a_window() {
  case "$1" in
    sway)
      # The focus by a token is sway's own choice, and not what it does by itself.
      printf '%s\n' 'output * scale 1.5' 'xwayland disable' 'focus_on_window_activation focus' 'bindsym Mod1+F4 kill' >"$work/sway.conf"
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
write() { DISPLAY=$screen xdotool type --delay 40 -- "$1"; }
# How bright the screen is, in percent.
brightness() { import -display "$screen" -silent -window root png:- | convert png:- -resize '1x1!' -colorspace Gray -format '%[fx:round(100*mean)]' info:; }
darker() { [ "$(brightness)" -le "$1" ]; }

# How many windows the program has. On Wayland it tells what it asks of the compositor.
windows() {
  if [ -n "${WAYLAND_DISPLAY:-}" ]; then
    echo $(($(grep -c 'xdg_surface@[0-9]*\.get_toplevel(' "$log") - $(grep -c 'xdg_toplevel@[0-9]*\.destroy()' "$log")))
  else
    xdotool search --onlyvisible --class tidings | wc -l
  fi
}
has_windows() { [ "$(windows)" = "$1" ]; }
# Whether the keys that are pressed reach the program.
in_front() {
  if [ -n "${WAYLAND_DISPLAY:-}" ]; then
    grep -o 'wl_keyboard@[0-9]*\.\(enter\|leave\)(' "$log" | tail -n 1 | grep -q enter
  else
    xdotool getactivewindow getwindowname | grep -q Tidings
  fi
}

# Another program. `another_in_front` is whether the keys reach it, and `another_has` whether its field has this text.
another() { start "$(dirname "$0")/another.js" "$@"; }
another_in_front() {
  # GNOME begins with an overview of all windows, in which none has the keys.
  [ "$name" != gnome ] || busctl --user set-property org.gnome.Shell /org/gnome/Shell org.gnome.Shell OverviewActive b false
  grep -E '^(in front|behind)$' "$work/another.js.log" | tail -n 1 | grep -q 'in front'
}
another_has() { grep '^text: ' "$work/another.js.log" | tail -n 1 | grep -qxF "text: $1"; }

# Closes the window by the desktop's keys. Weston has none, and there it is the button in the corner of a window that is as
# large as the screen. Weston moves its pointer by as much as that of the display, and begins in the other corner.
closes() {
  if [ "$name" = weston ]; then
    press super+shift+m
    for at in '1190 740' '10 10' '1173 110'; do
      sleep 0.5
      # shellcheck disable=SC2086 # two numbers
      DISPLAY=$screen xdotool getactivewindow mousemove --window %1 $at
    done
    DISPLAY=$screen xdotool click 1
  else
    press alt+F4
  fi
  sleep 1
  has_windows 0
}
