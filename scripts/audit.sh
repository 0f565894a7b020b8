#!/usr/bin/env bash
# Asks the registry for known weaknesses in what the page ships. Says so where it cannot ask.
set -uo pipefail
cd "$(dirname "$0")/../ui" || exit 1
report=$(npm audit --omit=dev --audit-level=high --json 2>/dev/null)
rc=$?
case "$report" in
  *'"auditReportVersion"'*) ;;
  *) echo "npm audit: no answer, left out"; exit 0 ;;
esac
[ "$rc" -eq 0 ] || { npm audit --omit=dev --audit-level=high; exit 1; }
echo "npm audit: nothing known"
