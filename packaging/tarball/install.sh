#!/bin/sh
# Installs the files beside this script: for every user in /usr/local if root runs it, else for this user in ~/.local.
#
#   install.sh [--prefix FOLDER] [--remove]
#
# --prefix names another folder, and --remove takes the files away again. What the programs stored stays in both cases.
set -eu
cd "$(dirname "$0")"

remove=
if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
while [ $# -gt 0 ]; do
  case "$1" in
    --prefix) prefix=${2:?--prefix needs a folder}; shift ;;
    --remove) remove=yes ;;
    *) echo "usage: install.sh [--prefix FOLDER] [--remove]" >&2; exit 2 ;;
  esac
  shift
done
case "$prefix" in
  *[!-a-zA-Z0-9/._]* | [!/]* | '')
    echo "install.sh: --prefix needs a path from the root, of letters, digits and the signs / . _ -" >&2
    exit 2
    ;;
esac

# Whether it is for the whole system, where systemd finds the service below the prefix. A Flatpak's is not, whoever builds it.
whole=
case "$(id -u) ${prefix%/}" in '0 /usr' | '0 /usr/local') whole=yes ;; esac

# Where a file of usr/ goes; nothing for what only a whole system can use.
destination() {
  case "$1" in
    usr/lib/systemd/user/*)
      # systemd looks for the units of one user elsewhere.
      if [ -n "$whole" ]; then echo "$prefix/${1#usr/}"; else echo "$prefix/share/systemd/user/${1##*/}"; fi
      ;;
    usr/lib/*) if [ -n "$whole" ]; then echo "$prefix/${1#usr/}"; fi ;;
    usr/*) echo "$prefix/${1#usr/}" ;;
  esac
}

put() {
  mkdir -p "$(dirname "$2")"
  case "$1" in
    # They name the program by its path.
    *.service) sed "s|/usr/bin/|$prefix/bin/|" "$1" >"$2" && chmod 644 "$2" ;;
    # A session may look for programs elsewhere than in the folder of this one.
    *.desktop) sed "s|^Exec=|Exec=$prefix/bin/|" "$1" >"$2" && chmod 644 "$2" ;;
    # A program that runs goes on with the file that it was started from.
    *) rm -f "$2" && cp -p "$1" "$2" ;;
  esac
}

find usr -type f | while read -r file; do
  to=$(destination "$file")
  [ -n "$to" ] || continue
  if [ -n "$remove" ]; then rm -f "$to"; else put "$file" "$to"; fi
done

# Menus and icons are looked up in caches, if a desktop has them.
refresh() { if command -v "$1" >/dev/null; then "$@" 2>/dev/null || :; fi; }
refresh update-desktop-database -q "$prefix/share/applications"
refresh gtk-update-icon-cache -q -t -f "$prefix/share/icons/hicolor"

if [ -n "$remove" ]; then
  echo "Removed. The notifications of each user are still in ~/.local/share/tidings, those of a server in /var/lib/tidings."
else
  echo "Installed in $prefix: tidings-desktop, the app, and tidings, the program for the terminal."
  if [ -n "$whole" ]; then
    [ -e /etc/default/tidings-server ] || cp etc/default/tidings-server /etc/default/
    echo "To run a server for several users:"
    echo "  systemd-sysusers $prefix/lib/sysusers.d/tidings-server.conf && systemctl enable --now tidings-server"
  fi
fi
