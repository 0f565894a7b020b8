#!/usr/bin/env bash
# Installs what a job needs and is not there yet. Jobs: build, desktop, test, chromium, peers, fuzz, voices, mutants, coverage,
# lint, package, test-package, reproducible, flatpak, desktops, orca, docs, icons.
# Debian and Ubuntu: by apt. Elsewhere it names what is missing and stops.
set -euo pipefail

# One after the other, if make runs several beside each other.
if [ -z "${TIDINGS_SETUP:-}" ] && flock --version >/dev/null 2>&1; then
  TIDINGS_SETUP=locked exec flock --close "${TMPDIR:-/tmp}/tidings-setup-$(id -u).lock" "$0" "$@"
fi

packages=() programs=() crates=() fuzz= voices=() clients=
for job in "$@"; do
  case "$job" in
    build)
      packages+=(build-essential pkg-config curl file libwebkit2gtk-4.1-dev)
      programs+=(cc pkg-config curl)
      ;;
    desktop)
      packages+=(xvfb x11-utils xdotool dbus dbus-x11 dunst openbox xfce4-panel imagemagick
        gnome-keyring at-spi2-core libglib2.0-bin gsettings-desktop-schemas fonts-inter fonts-noto-cjk fonts-noto-core)
      programs+=(Xvfb xdotool dbus-run-session dunst openbox xfce4-panel import gdbus
        gnome-keyring-daemon)
      ;;
    test)
      packages+=(webkit2gtk-driver python3-venv xclip)
      programs+=(WebKitWebDriver python3 xclip)
      # The tests start servers of their own; util-linux ends them.
      packages+=(postgresql pgbouncer redis-server util-linux)
      programs+=(initdb postgres psql pg_dump pg_restore pgbouncer redis-server redis-cli flock setsid)
      # Its promtool reads what docs/operating has for Prometheus.
      packages+=(prometheus)
      programs+=(promtool)
      # It reads the units of packaging/server; nothing of it is started.
      packages+=(systemd)
      programs+=(systemd-analyze)
      # What Qt, which Gotify Tray brings along, needs of an X desktop.
      packages+=(libegl1 libgl1 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-randr0 libxcb-shape0
        libxkbcommon-x11-0)
      crates+=(cargo-nextest@0.9.143 tauri-driver@2.1.0)
      clients=yes
      ;;
    # 400 MB on the disk, for one story, which does without it: Ubuntu has no driver of it.
    chromium)
      if grep -qx 'ID=debian' /etc/os-release 2>/dev/null; then packages+=(chromium chromium-driver); fi
      ;;
    peers) packages+=(notmuch maildir-utils) programs+=(notmuch mu) ;;
    fuzz) packages+=(python3-venv) programs+=(python3) fuzz=schemathesis==4.32.5 ;;
    voices)
      packages+=(curl git openssl python3-venv prometheus-alertmanager monit swaks msmtp postfix notmuch maildir-utils newsboat
        nghttp2-client nghttp2-proxy)
      programs+=(curl git openssl python3 prometheus-alertmanager amtool monit swaks msmtp postfix notmuch mu newsboat h2load nghttpx)
      voices=(matrix-synapse==1.163.2 pywebpush==2.5.0 web-push@3.6.7)
      ;;
    mutants) packages+=(git) programs+=(git) crates+=(cargo-mutants@27.1.0) ;;
    coverage) packages+=(python3) programs+=(python3) crates+=(cargo-llvm-cov@0.9.1) ;;
    lint)
      packages+=(git xz-utils)
      programs+=(git xz)
      crates+=(cargo-deny@0.20.2)
      ;;
    package)
      packages+=(dpkg-dev git lintian appstream desktop-file-utils rpm xz-utils python3)
      programs+=(dpkg-shlibdeps git lintian appstreamcli desktop-file-validate rpmbuild xz python3)
      crates+=(cargo-deb@3.8.0)
      ;;
    test-package) packages+=(mmdebstrap systemd-container debian-archive-keyring) programs+=(mmdebstrap systemd-nspawn) ;;
    reproducible) packages+=(diffoscope-minimal) programs+=(diffoscope) ;;
    flatpak) packages+=(flatpak flatpak-builder python3) programs+=(flatpak flatpak-builder python3) ;;
    desktops)
      packages+=(dunst xfce4-notifyd mate-notification-daemon lxqt-notificationd mako-notifier sway sway-notification-center jq systemd
        pulseaudio pulseaudio-utils gnome-session-canberra libcanberra-pulse sound-theme-freedesktop openbox xdotool xfce4-panel waybar
        wtype weston mutter gnome-shell gjs gsettings-desktop-schemas kwin-wayland plasma-desktop plasma-workspace qtwayland5
        gir1.2-gtk-3.0 imagemagick libglib2.0-bin xfce4-settings xfconf xdg-desktop-portal xdg-desktop-portal-gnome
        xdg-desktop-portal-gtk xdg-desktop-portal-kde)
      programs+=(dunst lxqt-notificationd mako sway swaync jq busctl pulseaudio pactl parec canberra-gtk-play openbox xdotool xfce4-panel
        waybar wtype weston mutter gnome-shell gjs kwin_wayland plasmashell kded5 import gsettings xfsettingsd xfconf-query)
      ;;
    orca) packages+=(orca) programs+=(orca) ;;
    # Without its server and what watches files.
    docs) crates+=("mdbook@0.5.4 --no-default-features --features search") ;;
    icons) packages+=(librsvg2-bin imagemagick icnsutils) programs+=(rsvg-convert convert png2icns) ;;
    *) echo "setup.sh: unknown job $job" >&2; exit 2 ;;
  esac
done

need_toolchain() {
  local missing=()
  command -v cargo >/dev/null || missing+=("Rust (https://rustup.rs)")
  command -v npm >/dev/null || missing+=("Node 20.19 or newer with npm (https://nodejs.org)")
  [ ${#missing[@]} -eq 0 ] || { printf 'Missing: %s\n' "${missing[@]}" >&2; exit 1; }
}

installed() {
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

install_packages() {
  local missing=() package root=()
  for package in "${packages[@]}"; do installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Missing, and there is no sudo: apt-get install ${missing[*]}" >&2; exit 1; }
    root=(sudo)
  fi
  echo "Installing: ${missing[*]}"
  "${root[@]}" apt-get update -qq </dev/null
  case " ${missing[*]} " in *" postgresql "*)
    # The package would create a database server on this machine and start it; nobody needs one.
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql-common </dev/null
    "${root[@]}" sed -i 's/^#\?create_main_cluster *=.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
  esac
  # The same with the services of these: they are masked before they could be started.
  for service in pgbouncer redis-server prometheus prometheus-alertmanager monit postfix nghttpx; do
    case " ${missing[*]} " in *" ${service/nghttpx/nghttp2-proxy} "*)
      if [ ! -e "/etc/systemd/system/$service.service" ]; then
        "${root[@]}" mkdir -p /etc/systemd/system
        "${root[@]}" ln -s /dev/null "/etc/systemd/system/$service.service"
      fi
    esac
  done
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null
}

name_missing_programs() {
  local missing=() program
  for program in "${programs[@]}"; do command -v "$program" >/dev/null || missing+=("$program"); done
  case " $* " in *" build "*)
    pkg-config --exists webkit2gtk-4.1 2>/dev/null || missing+=("webkit2gtk-4.1 with its headers")
  esac
  [ ${#missing[@]} -eq 0 ] || {
    echo "This is not Debian or Ubuntu; please install these first: ${missing[*]}" >&2
    exit 1
  }
}

install_crates() {
  local crate
  for crate in "${crates[@]}"; do
    command -v "${crate%%@*}" >/dev/null && continue
    echo "Installing: ${crate%% *}"
    # Its own target folder, so that the project's build stays untouched. Unoptimised, it is built in half the time, and
    # it runs for seconds. How the project itself is compiled is not meant for it.
    # shellcheck disable=SC2086 # a crate may have options
    (cd / && unset RUSTC_WORKSPACE_WRAPPER RUSTFLAGS MAKEFLAGS MFLAGS && CARGO_TARGET_DIR="${TMPDIR:-/tmp}/tidings-setup" cargo install --debug --locked --quiet $crate)
  done
  rm -rf "${TMPDIR:-/tmp}/tidings-setup"
}

# In a folder of its own among what is built, so that nothing else on the machine changes: Python packages, and npm packages,
# which have their version after an @.
install_apart() {
  local name=$1 folder package python=() node=()
  shift
  folder=$(cd "$(dirname "$0")/.." && echo "${CARGO_TARGET_DIR:-$PWD/target}/$name")
  [ "$(cat "$folder/venv/installed" 2>/dev/null)" != "$*" ] || return 0
  echo "Installing: $*"
  for package in "$@"; do
    case "$package" in *@*) node+=("$package") ;; *) python+=("$package") ;; esac
  done
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "${python[@]}"
  [ ${#node[@]} -eq 0 ] ||
    npm --prefix "$folder" install --silent --ignore-scripts --no-audit --no-fund "${node[@]}"
  echo "$*" >"$folder/venv/installed"
}

# What Gotify's version 2.9.1 says of its own API, for the voices: the file of that version, by its checksum.
fetch_gotify_description() {
  local to from=https://raw.githubusercontent.com/gotify/server/v2.9.1/docs/spec.json
  to=$(cd "$(dirname "$0")/.." && echo "${CARGO_TARGET_DIR:-$PWD/target}/voices/gotify-spec.json")
  local wanted="2466e54ae6534cda91db6f06174213735e257c621d25bfb375eff6bb1ac389dc  $to"
  sha256sum --check --status <<<"$wanted" 2>/dev/null && return
  mkdir -p "${to%/*}"
  curl --fail --silent --show-error --location --retry 3 --output "$to" "$from" && sha256sum --check --status <<<"$wanted" || {
    echo "Gotify's description of its API is needed from $from, or as the file $to" >&2
    exit 1
  }
}

# The clients of other servers that the tests run and what checks docs/operating, of exact versions with checksums, in a
# folder of their own as well.
install_clients() {
  local from to wanted
  from=$(cd "$(dirname "$0")/../tests/clients" && pwd)
  to=${CARGO_TARGET_DIR:-${from%/tests/clients}/target}/clients
  wanted=$(cat "$from/requirements.txt" "$from/package-lock.json" <(python3 --version) | sha256sum)
  [ "$(cat "$to/installed" 2>/dev/null)" != "$wanted" ] || return 0
  echo "Installing: the clients of tests/clients"
  rm -rf "$to"
  mkdir -p "$to"
  cp "$from/package.json" "$from/package-lock.json" "$to"
  # One of them asks for a newer Python than it needs.
  { python3 -m venv "$to/venv" &&
    "$to/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes \
      --ignore-requires-python --requirement "$from/requirements.txt" &&
    npm --prefix "$to" ci --silent --ignore-scripts --no-audit --no-fund; } || {
    echo "The clients of tests/clients were not installed: pip and npm must reach their registries, with Python 3.11 or newer" >&2
    exit 1
  }
  echo "$wanted" >"$to/installed"
}

need_toolchain
if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
  install_packages
elif [ "$(uname -s)" = Linux ]; then
  name_missing_programs "$@"
fi
install_crates
[ -z "$fuzz" ] || install_apart fuzz "$fuzz"
[ ${#voices[@]} -eq 0 ] || { install_apart voices "${voices[@]}" && fetch_gotify_description; }
[ -z "$clients" ] || install_clients
