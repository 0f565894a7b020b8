#!/usr/bin/env bash
# Tries the .deb packages in a fresh Debian 12, whose only network is its own loopback once they are installed: from the
# installation over an upgrade and a downgrade to the purge, on a desktop and under systemd. It needs root.
#
#   test-package.sh [--before FOLDER] [FOLDER]
#
# FOLDER has the packages (target/packages), and --before those of an earlier version. Without it the same packages with a
# lower number are the earlier ones. Pictures of the desktop are left in target/test-package.
set -euo pipefail
cd "$(dirname "$0")/.."

before=
if [ "${1:-}" = --before ]; then before=${2:?--before needs a folder}; shift 2; fi
target="${CARGO_TARGET_DIR:-$PWD/target}"
packages=${1:-$target/packages} work=$target/test-package
root=$work/root
fail() { echo "test-package: $*" >&2; exit 1; }
step() { echo "— $*"; }
[ "$(id -u)" = 0 ] || fail "it needs root, for a root folder with users and devices"
[ -e "$(echo "$packages"/tidings_*.deb)" ] || fail "$packages has no tidings_VERSION_ARCHITECTURE.deb: make package"

# What a desktop has before Tidings comes, without anything that its packages have to bring along.
desktop=(dbus-x11 dunst fonts-inter fonts-noto-core imagemagick libglib2.0-bin openbox x11-utils xdotool xfce4-panel xvfb)
tools=(ca-certificates curl iproute2 jq procps sqlite3 systemd-sysv)
include=$(IFS=,; echo "${desktop[*]},${tools[*]}")

# The packages of the distribution are fetched once.
fresh_root() {
  mkdir -p "$work/archives"
  if [ "$(cat "$work/base.of" 2>/dev/null)" != "$include" ]; then
    step "a fresh Debian 12"
    mmdebstrap --quiet --variant=minbase --skip=output/dev --include="apt,$include" bookworm "$work/base.tar"
    echo "$include" >"$work/base.of"
  fi
  rm -rf "$root"
  mkdir -p "$root"
  tar -xf "$work/base.tar" -C "$root"
  mkdir -p "$root/packages" "$root/before" "$root/pictures" "$root/scripts/test-package"
  cp "$packages"/*.deb "$root/packages/"
  cp scripts/with-desktop.sh "$root/scripts/"
  cp scripts/test-package/*.sh "$root/scripts/test-package/"
}

earlier_packages() {
  local package
  if [ -n "$before" ]; then
    cp "$before"/*.deb "$root/before/"
    return
  fi
  for package in "$packages"/*.deb; do
    rm -rf "$work/earlier"
    dpkg-deb --raw-extract "$package" "$work/earlier"
    sed -i 's/^Version: .*/Version: 0.0.1/' "$work/earlier/DEBIAN/control"
    dpkg-deb -Znone --root-owner-group --build "$work/earlier" "$root/before/" >/dev/null
  done
  rm -rf "$work/earlier"
}

# With the network of this machine, for apt; with --private-network it has its own loopback alone.
container=(systemd-nspawn --quiet --hostname=debian --register=no --keep-unit --directory "$root"
  --bind="$work/archives:/var/cache/apt/archives")
inside() { "${container[@]}" "$@"; }

# A package's scripts have nobody to ask: there is no terminal and no input.
apt_get() { inside --setenv=DEBIAN_FRONTEND=readline --console=pipe apt-get -q -y -o Dpkg::Use-Pty=0 "$@" </dev/null 2>&1; }

# apt_does WHAT ARGUMENT…
apt_does() {
  local what=$1
  shift
  apt_get "$@" >"$work/apt.log" || { cat "$work/apt.log" >&2; fail "the $what failed"; }
}

# as_user PART: a part of the story in a session of its own, on a desktop, as a user.
as_user() {
  inside --as-pid2 --private-network --console=pipe runuser -u ana -- /scripts/with-desktop.sh --home /home/ana \
    --service org.tidings.desktop -- /scripts/test-package/desktop.sh "$1" </dev/null
}

# The files of the user's data: names and sums.
data() { (cd "$root/home/ana/.local/share/tidings" && find . -type f ! -path './logs/*' -exec sha256sum {} + | sort -k 2); }

unchanged() {
  diff <(echo "$1") <(data) >&2 || fail "$2 changed the user's data"
}

# The most that the package for desktops may take, in bytes: itself, and once it is installed.
small_enough() {
  local package=$1 bytes installed
  step "it is small"
  bytes=$(stat --format=%s "$package") installed=$(($(dpkg-deb --field "$package" Installed-Size) * 1024))
  echo "  $bytes bytes, $installed once it is installed"
  [ "$bytes" -le 25000000 ] || fail "the package has more than 25 MB"
  [ "$installed" -le 60000000 ] || fail "it takes more than 60 MB once it is installed"
}

desktop_story() {
  local kept said earlier this
  earlier=$(cd "$root/before" && echo tidings_*.deb)
  this=$(cd "$root/packages" && echo tidings_*.deb)
  small_enough "$root/packages/$this"
  inside --console=pipe useradd --create-home ana
  inside --console=pipe chown ana /pictures
  apt_get update >/dev/null || fail "no package lists"
  step "the earlier version is installed, and starts from its entry in the menu"
  apt_does installation install "/before/$earlier"
  as_user first

  step "it is upgraded, and starts with the next session"
  kept=$(data)
  apt_does upgrade install "/packages/$this"
  unchanged "$kept" "the upgrade"
  as_user again

  step "files of a later version are refused, left untouched, and named"
  for file in replica server; do
    inside --console=pipe runuser -u ana -- sqlite3 "/home/ana/.local/share/tidings/$file.db" 'PRAGMA user_version = 9999' </dev/null
  done
  kept=$(sha256sum "$root"/home/ana/.local/share/tidings/*.db)
  apt_does downgrade --allow-downgrades install "/before/$earlier"
  as_user later
  diff <(echo "$kept") <(sha256sum "$root"/home/ana/.local/share/tidings/*.db) >&2 || fail "a file of a later version was changed"

  step "it is removed, and purged without a question"
  kept=$(data)
  apt_does removal remove tidings
  [ -z "$(cd "$root" && find usr -path '*tidings*' ! -type d)" ] || fail "the removal left files"
  apt_does purge purge tidings
  said='notifications of each user are still in ~/.local/share/tidings'
  grep -q "$said" "$work/apt.log" || fail "the purge does not say where the data is"
  unchanged "$kept" "the purge"
}

# The server's part runs as a service of a booted systemd, which writes the result and ends.
server_story() {
  step "the server runs under systemd"
  cat >"$root/etc/systemd/system/story.service" <<'X'
[Unit]
After=multi-user.target
SuccessAction=poweroff
FailureAction=poweroff
[Service]
Type=oneshot
ExecStart=/scripts/test-package/server.sh
StandardOutput=file:/story.log
StandardError=inherit
[Install]
WantedBy=graphical.target
X
  systemctl --root="$root" enable --quiet story.service
  timeout 600 "${container[@]}" --private-network --console=pipe --boot </dev/null >"$work/boot.log" 2>&1 || :
  cat "$root/story.log"
  grep -q '^well$' "$root/story.log" || fail "the server's part failed; the start of systemd is in $work/boot.log"
}

fresh_root
earlier_packages
desktop_story
server_story
cp -f "$root"/pictures/*.png "$work/"
rm -rf "$root"
echo "the packages install, start, upgrade and leave as they should; pictures are in $work"
