#!/usr/bin/env bash
# The server's part of the story of scripts/test-package.sh, in a booted system without a network; it ends with "well".
set -euo pipefail

fail() {
  echo "test-package: server: $*" >&2
  journalctl --no-pager --unit tidings-server --lines 30 >&2 || :
  exit 1
}
step() { echo "— $*"; }
export DEBIAN_FRONTEND=readline
apt_does() {
  local what=$1
  shift
  apt-get -q -y -o Dpkg::Use-Pty=0 "$@" </dev/null >/tmp/apt.log 2>&1 || { cat /tmp/apt.log; fail "the $what failed"; }
}
url=http://127.0.0.1:7878
administer() { runuser -u tidings -- env TIDINGS_DATA_DIR=/var/lib/tidings tidings "$@"; }
say() { curl -fsS -m 10 -H "Authorization: Bearer $token" -d "$1" "$url/backups" >/dev/null; }
stored() { runuser -u tidings -- sqlite3 -readonly /var/lib/tidings/server.db 'SELECT count(*) FROM notifications'; }

step "it is installed, and runs as its own user"
apt_does installation install /before/tidings-server_*.deb
systemctl is-active --quiet tidings-server || fail "it does not run"
systemctl is-enabled --quiet tidings-server || fail "it would not start with the machine"
[ "$(ps -o user= -p "$(systemctl show --value --property MainPID tidings-server)")" = tidings ] || fail "it runs as another user"
token=$(journalctl --no-pager --unit tidings-server | sed -n 's/.*shown only once: //p')
[ -n "$token" ] || fail "no token in the journal"
exposure=$(systemd-analyze security --no-pager tidings-server | sed -nE 's/.*exposure level for tidings-server.service: ([0-9.]+).*/\1/p')
awk "BEGIN { exit !($exposure <= 2.0) }" || fail "systemd-analyze says $exposure"
echo "  exposure $exposure"
administer user add ana --name Ana >/dev/null || fail "no user could be added"
say "Backup done" || fail "nothing could be published"
kept=$(stored)

step "it is upgraded while it runs, with its options and its data"
echo '# an option of the administrator' >>/etc/default/tidings-server
apt_does upgrade install /packages/tidings-server_*.deb
systemctl is-active --quiet tidings-server || fail "it does not run after the upgrade"
grep -q 'of the administrator' /etc/default/tidings-server || fail "the upgrade replaced the options"
[ "$(stored)" = "$kept" ] || fail "the upgrade changed the data"
say "Backup done again" || fail "nothing could be published after the upgrade"

step "it is reloaded, and goes on"
process() { systemctl show --value --property MainPID tidings-server; }
reloaded() { journalctl --no-pager --unit tidings-server | grep -c 'certificates to trust were read again' >/dev/null; }
before=$(process)
systemctl reload tidings-server || fail "it can't be reloaded"
for _ in $(seq 50); do ! reloaded || break; sleep 0.2; done
reloaded || fail "it did not hear of the reload"
[ "$(process)" = "$before" ] || fail "the reload ended it"
say "Backup done meanwhile" || fail "nothing could be published after the reload"

step "it is removed, and purged without a question"
apt_does removal remove tidings-server
! systemctl is-active --quiet tidings-server || fail "it runs although it was removed"
kept=$(stored)
apt_does purge purge tidings-server
grep -q '/var/lib/tidings still has the notifications' /tmp/apt.log || fail "the purge does not say where the data is"
[ "$(stored)" = "$kept" ] || fail "the purge changed the data"
[ ! -e /etc/default/tidings-server ] || fail "the purge left the options"
echo well
