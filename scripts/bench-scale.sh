#!/usr/bin/env bash
# Takes the figures of many people and several processes, with databases that the run starts and removes.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked -p tidings-benches -p tidings-cli --bins
target="${CARGO_TARGET_DIR:-$PWD/target}/release"
# Ten thousand live channels are open at once, at both of their ends.
ulimit -n "$(ulimit -Hn)"
# Servers that know of Redis are measured with it, too: one of the run's own, which keeps nothing.
redis=()
if command -v redis-server >/dev/null && "$target/tidings" serve --help | grep -q -- --cache; then
  folder=$(mktemp -d)
  redis-server --port 0 --unixsocket "$folder/redis.sock" --dir "$folder" --save "" --appendonly no >"$folder/log" &
  redis_pid=$!
  trap 'kill "$redis_pid"; rm -rf "$folder"' EXIT
  redis=(--redis "redis+unix://$folder/redis.sock")
fi
"$target/tidings-benches" scale "${redis[@]}" "$@" </dev/null
