#!/usr/bin/env bash
# Runs programs of others, as they are, each against a server of its own: voices.sh [VOICE…], all of them if none is named.
# Prints in a line what each showed. Ends with an error, and with what went wrong, if one did not do what it must.
# Needs what `scripts/setup.sh fuzz voices` installs.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
export TIDINGS_BIN=${TIDINGS_BIN:-$target/debug} TIDINGS_VOICES=$target/voices
export TIDINGS_SCHEMATHESIS=$target/fuzz/venv/bin/schemathesis
# Debian has daemons where only root looks for programs.
export PATH=$PATH:/usr/sbin:/sbin PYTHONDONTWRITEBYTECODE=1
exec "$target/voices/venv/bin/python" tests/voices "$@"
