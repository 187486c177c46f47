#!/bin/sh
# Runs a k6 script with the credentials of the application `demo`, which the gateway writes to first-steps.json at startup.
set -eu
value() {
  # The first application in the file is `demo`.
  sed -n "s/^ *\"$1\": \"\(.*\)\",*\$/\1/p" "$FIRST_STEPS" | head -n 1
}
CLIENT_ID=$(value client_id)
CLIENT_SECRET=$(value client_secret)
if [ -z "$CLIENT_ID" ] || [ -z "$CLIENT_SECRET" ]; then
  echo "There are no demo credentials in $FIRST_STEPS: is the gateway up, and in the sandbox environment?" >&2
  exit 1
fi
export CLIENT_ID CLIENT_SECRET
cd "$(dirname "$0")"
exec "${K6:-k6}" run "$@" "k6/$SCRIPT"
