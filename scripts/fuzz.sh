#!/usr/bin/env bash
# Throws requests of every shape, right and wrong, at a server of its own, as the reference of its API and the
# descriptions of ntfy's and Gotify's doors and of webhooks have them; what the server answers must be what they say. Ends
# with an error if it is not. Then bends what parsers are to read at random. Arguments go to schemathesis.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
fuzz=$target/fuzz
program=$target/debug/tidings
mkdir -p "$fuzz"
data=$(mktemp -d "$fuzz/data.XXXXXX")
log=$fuzz/serve.log

TIDINGS_DATA_DIR=$data "$program" serve --listen 127.0.0.1:0 >"$log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$data"' EXIT

for _ in $(seq 300); do
  url=$(sed -n 's/^listening on //p' "$log")
  [ -z "$url" ] || break
  kill -0 "$server" 2>/dev/null || { cat "$log" >&2; exit 1; }
  sleep 0.1
done
[ -n "$url" ] || { echo "the server did not start:" >&2; cat "$log" >&2; exit 1; }
TIDINGS_TOKEN=$(grep -o 'tdg_[A-Za-z0-9_-]*' "$log" | head -n 1)
export TIDINGS_TOKEN

# Somebody to speak of, and something that was said.
ask() { curl -fsS -X "$1" -H "Authorization: Bearer $TIDINGS_TOKEN" ${3:+-d "$3"} "$url/api/v1/$2"; }
member() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }
TIDINGS_TOKEN_ID=$(ask GET tokens | member id)
for user in alice bob; do ask POST users "{\"id\": \"$user\"}" >/dev/null; done
ask POST groups '{"id": "crew", "name": "Crew", "members": ["alice", "bob"]}' >/dev/null
TIDINGS_MSGID=$(ask POST groups/crew/messages '{"body": "Ready to ship"}' | member msgid)
export TIDINGS_TOKEN_ID TIDINGS_MSGID

export PYTHONDONTWRITEBYTECODE=1
wrong=()
# Each folder has a configuration of its own, read from where it is run. All are asked, whatever one finds.
fuzz() {
  (
    cd "tests/fuzz/$1"
    "$fuzz/venv/bin/schemathesis" run "$2" --url "$url" --report-dir "$fuzz/report/$1" "${@:3}"
  ) || wrong+=("$1")
}
fuzz api "$url/api/v1/openapi.json" "$@"
fuzz ntfy door.yaml "$@"
fuzz gotify door.yaml "$@"
fuzz hooks door.yaml "$@"
# What strangers write for parsers, bent at random: all that `make test` tries, twenty times as often. Each target prints its seed.
mapfile -t packages < <(grep -rlF --include='*.rs' 'fuzz::run("' crates | cut -d / -f 2 | sort -u | sed 's/^/--package=tidings-/')
TIDINGS_SEED=$RANDOM TIDINGS_TIMES=20 cargo test -q --no-fail-fast "${packages[@]}" --package tidings-desktop \
  --features tidings-desktop/custom-protocol --lib --bins --tests whatever_ -- --nocapture --test-threads 1 || wrong+=(parsers)
# Whatever was thrown at it, it still holds together.
TIDINGS_DATA_DIR=$data "$program" check || wrong+=(check)
[ ${#wrong[@]} -eq 0 ] || { echo "not as they say: ${wrong[*]}" >&2; exit 1; }
