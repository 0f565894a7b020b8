#!/usr/bin/env bash
# Changes one line after the other, and asks whether a test notices, with cargo-mutants: mutants.sh [PART [K | K/N]]. Without a
# part it lists them. K counts the shards from 0. N, if it is not named, makes shards of about an hour on two cores.
#
# The tests of the crate itself come first, which are built within seconds. Only what they miss is shown to the tests of crates
# that use it. It happens in a tree of the last commit, in target/mutants, whose builds the shards share. What was missed is listed in
# target/mutants/PART.missed, and the row of docs/TRUST.md adds up the shards that have run; `rm -r target/mutants` begins anew.
set -euo pipefail
cd "$(dirname "$0")/.."
part=${1:-} shard=${2:-0}
sqlite=crates/store-sqlite/src postgres=crates/store-postgres/src core=crates/server-core/src

# The folders of each part, the crates whose tests come second, and how many shards it has.
case "$part" in
  model) of="the model" folders=(crates/model/src) wider=(store store-sqlite replica) shards=2 ;;
  replica) of="the replica" folders=(crates/replica/src) wider=(sync cli) shards=16 ;;
  domain) of="the server's domain" folders=(crates/store/src/domain $core/domain) wider=(store-sqlite server) shards=4 ;;
  fan-in) of="fan-in" folders=($sqlite/fan_in) wider=(server) shards=2 ;;
  read-state) of="read state" folders=($sqlite/read_state) wider=(server) shards=2 ;;
  publishing) of="publishing" folders=($sqlite/publishing $core/publishing) wider=(server) shards=3 ;;
  postgres)
    of="fan-in, read state and publishing on PostgreSQL"
    folders=($postgres/fan_in $postgres/read_state $postgres/publishing) wider=(server) shards=16
    ;;
  *)
    echo "the parts: model, replica, domain, fan-in, read-state, publishing, postgres" >&2
    exit 2
    ;;
esac
case "$shard" in */*) shards=${shard#*/} shard=${shard%/*} ;; esac

target=${CARGO_TARGET_DIR:-$PWD/target}/mutants
tree=$target/tree
out=$target/$part/$shard-of-$shards
rm -rf "$out"
mkdir -p "$out"
# A checkout leaves files alone that are as they have to be, so that a build takes up what an earlier one has made.
[ -e "$tree/.git" ] || git worktree add --quiet --force --detach "$tree" HEAD
git -C "$tree" checkout --quiet --force --detach "$(git rev-parse HEAD)"

# Line tables and flags of the caller would only take time. Most tests wait.
export CARGO_TARGET_DIR=$target/build CARGO_PROFILE_DEV_DEBUG=none NEXTEST_TEST_THREADS=$((3 * $(nproc)))
unset RUSTC_WORKSPACE_WRAPPER RUSTFLAGS MAKEFLAGS MFLAGS
files=()
for folder in "${folders[@]}"; do files+=(--file "$folder/**/*.rs"); done

# Mutants that are missed (2) or that time out (3) are results; anything else ends it.
try_mutants() {
  local status=0
  (cd "$tree" && cargo mutants --in-place "${files[@]}" --output "$@") || status=$?
  case "$status" in 0 | 2 | 3) ;; *) exit "$status" ;; esac
}

try_mutants "$out/near" --shard "$shard/$shards"
missed=$out/near/mutants.out/missed.txt
if [ -s "$missed" ]; then
  again=()
  while IFS= read -r mutant; do
    again+=(--re "^$(sed 's/[].+*?()|[{}^$\\]/\\&/g' <<<"$mutant")\$")
  done <"$missed"
  for crate in "${wider[@]}"; do again+=(--test-package "tidings-$crate"); done
  try_mutants "$out/wide" "${again[@]}"
  missed=$out/wide/mutants.out/missed.txt
fi
cp "$missed" "$out/missed.txt"

# All shards of this number that have run.
done_shards=("$target/$part"/*-of-"$shards"/missed.txt)
count() {
  local ended
  for ended in "${done_shards[@]}"; do cat "${ended%/missed.txt}"/*/mutants.out/"$1"; done | wc -l
}
cat "${done_shards[@]}" >"$target/$part.missed"
left=$(wc -l <"$target/$part.missed")
caught=$(count caught.txt) timed_out=$(count timeout.txt) unviable=$(count unviable.txt)
noticed=$((caught + timed_out))
echo "$of, ${#done_shards[@]} of $shards shards: $noticed of $((noticed + left)) were noticed; those that were not:"
cat "$target/$part.missed"
[ -z "${TIDINGS_REPORT:-}" ] ||
  printf 'wrong lines that tests notice: %s\t\t\t%s caught\t%s timed out\t%s missed\t%s do not compile\t%s of %s shards\n' "$of" \
    "$caught" "$timed_out" "$left" "$unviable" "${#done_shards[@]}" "$shards" >>"$TIDINGS_REPORT"
