#!/usr/bin/env bash
# Checks Cargo.lock against the RustSec advisories that are kept in scripts/advisories, without a network.
# `advisories.sh update [REPOSITORY]` replaces them by those of today, from GitHub or from a clone.
# What was published after the date of the list is not known to the check; the date is printed.
set -euo pipefail
cd "$(dirname "$0")/.."

upstream=https://github.com/RustSec/advisory-db
kept=scripts/advisories/rustsec
# The folder in which cargo-deny looks for the clone of `upstream`; deny.toml names its parent.
db=target/advisories/advisory-db-3157b0e258782691

field() { awk -v key="$1" '$1 == key { print $2 }' "$kept.txt"; }

update() {
  local work
  work=$(mktemp -d)
  trap 'rm -rf "$work"' RETURN
  git clone --quiet --depth 1 "${1:-$upstream}" "$work/db"
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="$(git -C "$work/db" log -1 --format=%cI)" \
    -cJf "$kept.tar.xz" -C "$work/db" LICENSE.txt LICENSES crates
  git -C "$work/db" log -1 --date=short --format='commit %H%ndate %cd' >"$kept.txt"
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
  local days=$((($(date +%s) - $(date -d "$(field date)" +%s)) / 86400))
  unpack
  cargo deny --offline --log-level error check --hide-inclusion-graph advisories
  echo "advisories: by the list of $(field date), $days days old; nothing published since is known to this check"
  [ "$days" -le 180 ] || echo "advisories: the list is old; scripts/advisories.sh update" >&2
}

case "${1:-check}" in
  check) check ;;
  update) update "${2:-}" ;;
  *) echo "usage: advisories.sh [check | update [REPOSITORY]]" >&2; exit 2 ;;
esac
