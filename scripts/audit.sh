#!/usr/bin/env bash
# Asks the npm registry for known weaknesses in the page's packages and in those that the tests run. A registry that can't
# be asked is named in the output: then nothing is known about them, and that is no failure.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

audit() {
  local report rc why
  report=$(npm --prefix "$1" audit --audit-level=high --json 2>/dev/null)
  rc=$?
  case "$report" in
    *'"auditReportVersion"'*) ;;
    *)
      why=$(sed -n 's/^ *"message": "\(.*\)",\{0,1\}$/\1/p' <<<"$report" | head -n 1)
      echo "npm audit: $1 not checked, the registry gave no answer${why:+ ($why)}"
      return 0
      ;;
  esac
  [ "$rc" -eq 0 ] || { npm --prefix "$1" audit --audit-level=high; return 1; }
  echo "npm audit: nothing known of high severity in $1 on $(date -u +%F)"
}

failed=0
for folder in ui tests/clients; do
  audit "$folder" || failed=1
done
exit "$failed"
