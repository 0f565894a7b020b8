#!/usr/bin/env bash
# Looks for inputs of a parser that reach new code, with libFuzzer: fuzz-coverage.sh TARGET [SECONDS] [OPTIONS]. Without a
# target it lists them. It begins with tests/fuzz/corpus/TARGET, and keeps what it finds in target/fuzz/found/TARGET. At
# the first input that fails it ends with an error, and leaves that input in target/fuzz/failed/TARGET.
#
# The crate `libfuzzer-sys` brings libFuzzer along, and a stable compiler can count what code is reached. The build has a folder of its own,
# so that nothing of it is taken for the ordinary one.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=${1:-}
seconds=${2:-3600}
options=("${@:3}")

# A target is the test that hands its name to the kit.
file=$(grep -rlF --include='*.rs' "fuzz::run(\"$wanted\"," crates src-tauri || true)
if [ -z "$wanted" ] || [ -z "$file" ]; then
  echo "the targets:" >&2
  grep -rhoE --include='*.rs' 'fuzz::run\("[a-z-]+"' crates src-tauri | cut -d '"' -f 2 | sort >&2
  exit 2
fi
test=$(grep -B 12 -F "fuzz::run(\"$wanted\"," "$file" | grep -oE 'fn [a-z0-9_]+\(\)' | tail -n 1 | tr -d '()' | cut -d ' ' -f 2)
package=tidings-$(cut -d / -f 2 <<<"$file")
# An integration test is in the program of that name, and those of the desktop program in itself; all others are in their crate.
kind=(--lib)
case "$file" in
  src-tauri/*) package=tidings-desktop kind=(--bin tidings-desktop) ;;
  */tests/*/*.rs) [[ $file == */src/* ]] || kind=(--test "$(cut -d / -f 4 <<<"$file")") ;;
esac

target=${CARGO_TARGET_DIR:-$PWD/target}
fuzz=$target/fuzz
found=$fuzz/found/$wanted
failed=$fuzz/failed/$wanted
mkdir -p "$found" "$failed"
flags=(--cfg fuzzing
  -Cpasses=sancov-module
  -Cllvm-args=-sanitizer-coverage-level=4
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
  -Cllvm-args=-sanitizer-coverage-pc-table
  -Cllvm-args=-sanitizer-coverage-trace-compares
  -Cllvm-args=-sanitizer-coverage-stack-depth)
host=$(rustc -vV | sed -n 's/^host: //p')
# Optimised, and with what finds overflows. One unit a crate: of several, the counters of some are lost.
export CARGO_TARGET_DIR=$fuzz/build CARGO_PROFILE_DEV_OPT_LEVEL=2 CARGO_PROFILE_DEV_CODEGEN_UNITS=1 CARGO_INCREMENTAL=0
export RUSTFLAGS="${flags[*]}"
# With a host named, the flags are not for build scripts, which have no libFuzzer.
cargo test --package "$package" "${kind[@]}" --target "$host" --no-run

# Bounds of one input: its bytes, its seconds, and the memory of the whole in MiB.
arguments=("$found" "$PWD/tests/fuzz/corpus/$wanted" "-artifact_prefix=$failed/" "-max_total_time=$seconds"
  -max_len=32768 -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 "${options[@]}")
TIDINGS_FUZZ_ARGUMENTS=$(printf '%s\n' "${arguments[@]}")
export TIDINGS_FUZZ=$wanted TIDINGS_FUZZ_ARGUMENTS
log=$fuzz/$wanted.log
cargo test --package "$package" "${kind[@]}" --target "$host" -- "$test" --nocapture --test-threads 1 2>&1 | tee "$log"
done_in=$(sed -nE 's/^Done ([0-9]+) runs in ([0-9]+) second.*/\1 inputs\t\2 s/p' "$log")
[ -z "${TIDINGS_REPORT:-}" ] || printf 'inputs that reach new code: %s\t\t\t%b\n' "$wanted" "$done_in" >>"$TIDINGS_REPORT"
