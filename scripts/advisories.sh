#!/usr/bin/env bash
# Checks Cargo.lock against the RustSec advisories that are kept in scripts/advisories, without a network.
#
#   advisories.sh check                 whatever the age of the list; its date is printed
#   advisories.sh update [REPOSITORY]   replaces the list by that of today, from GitHub or from a clone
#   advisories.sh release               as check, and fails if the list is older than deny.toml allows
#
# What was published after the date of the list is not known to the check. No package registry has the list.
set -euo pipefail
cd "$(dirname "$0")/.."

upstream=https://github.com/RustSec/advisory-db
kept=scripts/advisories/rustsec
# The folder in which cargo-deny looks for the clone of `upstream`; deny.toml names its parent.
db=target/advisories/advisory-db-3157b0e258782691

field() { awk -v key="$1" '$1 == key { print $2 }' "$kept.txt"; }
seconds() { date -u -d "$1" +%s; }
age() { echo $((($(date +%s) - $(seconds "$(field date)")) / 86400)); }
# The oldest list for a release, in days.
oldest() { sed -n 's/^maximum-db-staleness = "P\([0-9]*\)D"$/\1/p' deny.toml; }

update() {
  local from=${1:-$upstream} day
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  if ! GIT_TERMINAL_PROMPT=0 timeout 300 git clone --quiet --depth 1 "$from" "$work/db" 2>"$work/why"; then
    echo "advisories: $from could not be reached ($(tail -n 1 "$work/why")); the list of $(field date), $(age) days old, stays" >&2
    return 1
  fi
  day=$(git -C "$work/db" log -1 --date=short --format=%cd)
  if [ "$(seconds "$day")" -lt "$(seconds "$(field date)")" ]; then
    echo "advisories: the list at $from is of $day, older than the one of $(field date), which stays" >&2
    return 1
  fi
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="$(git -C "$work/db" log -1 --format=%cI)" \
    -cJf "$work/new.tar.xz" -C "$work/db" LICENSE.txt LICENSES crates
  git -C "$work/db" log -1 --date=short --format='commit %H%ndate %cd' >"$work/new.txt"
  mv "$work/new.tar.xz" "$kept.tar.xz"
  mv "$work/new.txt" "$kept.txt"
  echo "advisories: $(field commit) of $(field date)"
}

# cargo-deny reads a Git repository: the list is unpacked into one with a single commit.
unpack() {
  [ "$(cat "$db/.unpacked" 2>/dev/null)" != "$(field commit)" ] || return 0
  rm -rf "$db"
  mkdir -p "$db"
  tar -xJf "$kept.tar.xz" -C "$db"
  git -C "$db" init --quiet
  git -C "$db" add --all
  GIT_AUTHOR_DATE="$(field date)T00:00:00Z" GIT_COMMITTER_DATE="$(field date)T00:00:00Z" \
    git -C "$db" -c user.name=advisories -c user.email=advisories@localhost -c commit.gpgsign=false \
    commit --quiet --message "$(field commit)"
  field commit >"$db/.unpacked"
}

check() {
  local config=target/advisories/any-age.toml
  unpack
  # A build of today must not fail tomorrow for the age of the list alone.
  sed 's/^maximum-db-staleness = .*/maximum-db-staleness = "P100Y"/' deny.toml >"$config"
  cargo deny --offline --log-level error --config "$config" check --hide-inclusion-graph advisories
  echo "advisories: by the list of $(field date), $(age) days old; nothing published since is known to this check"
  [ "$(age)" -le "$(oldest)" ] ||
    echo "advisories: for a release the list may be $(oldest) days old; make advisories renews it"
}

release() {
  if [ "$(age)" -gt "$(oldest)" ]; then
    echo "advisories: the list is of $(field date), $(age) days old, and a release needs one of at most $(oldest) days: run make advisories first" >&2
    return 1
  fi
  unpack
  cargo fetch --locked --quiet
  cargo deny --offline --log-level error check --hide-inclusion-graph advisories
}

case "${1:-check}" in
  check) check ;;
  update) update "${2:-}" ;;
  release) release ;;
  *) echo "usage: advisories.sh [check | update [REPOSITORY] | release]" >&2; exit 2 ;;
esac
