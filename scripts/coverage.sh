#!/usr/bin/env bash
# Measures which lines the tests of the crates reach, by cargo-llvm-cov, and prints them by crate: coverage.sh [OPTIONS of nextest].
# The stories of tests/ are left out: they run programs that they end by force, which then tell nothing. The build has a folder of
# its own. Tests that need their time may fail on programs that count; what they reach counts all the same.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
summary=$target/coverage.json
# With `yes` it adds the tools of the compiler (llvm-tools) without a question.
export CARGO_LLVM_COV_SETUP=yes CARGO_PROFILE_DEV_DEBUG=none CARGO_INCREMENTAL=0
unset RUSTC_WORKSPACE_WRAPPER RUSTFLAGS MAKEFLAGS MFLAGS
cargo llvm-cov nextest --workspace --exclude tidings-tests --features tidings-desktop/custom-protocol --ignore-run-fail \
  --json --summary-only --output-path "$summary" "$@"

python3 - "$summary" <<'PYTHON'
import json
import os
import sys
from pathlib import Path

with open(sys.argv[1], encoding="utf-8") as file:
    files = json.load(file)["data"][0]["files"]
crates = {}
for file in files:
    path = Path(file["filename"])
    if not path.is_relative_to(Path.cwd()):
        continue
    first, second, *_ = path.relative_to(Path.cwd()).parts
    lines = file["summary"]["lines"]
    row = crates.setdefault(second if first == "crates" else first, [0, 0])
    row[0] += lines["covered"]
    row[1] += lines["count"]
print(f"{'crate':<20} {'reached':>8} {'lines':>8} {'share':>6}")
shares = []
for crate, (covered, count) in sorted(crates.items()):
    share = 100 * covered // max(count, 1)
    print(f"{crate:<20} {covered:>8,} {count:>8,} {share:>4} %")
    shares.append(f"{share} % of {crate}")
if report := os.environ.get("TIDINGS_REPORT"):
    with open(report, "a", encoding="utf-8") as lines:
        lines.write("\t".join(["lines that the tests of the crates reach", "", "", *shares]) + "\n")
PYTHON
