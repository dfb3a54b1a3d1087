#!/usr/bin/env bash
# Starts a receiver if there is a command for it, and checks its laws. The settings are the variables CONFORM_* of action.yml.
set -euo pipefail

key=${CONFORM_MERCHANT_KEY:-sandbox-key}
secret=${CONFORM_MERCHANT_SECRET:-sandbox-secret}
api_port=${CONFORM_API_PORT:-4011}

# Waits until the receiver answers anything, for at most 60 seconds. The laws report a receiver that never does.
await_receiver() {
  for _ in $(seq 120); do
    curl --silent --output /dev/null --max-time 5 "$CONFORM_URL" && return
    kill -0 "$1" 2>/dev/null || { echo "::error::The command of \`start\` has ended"; exit 1; }
    sleep 0.5
  done
}

if [[ -n ${CONFORM_START:-} ]]; then
  set -m # gives the receiver a process group of its own, so that its children end with it
  PAWL_BASE_URL="http://127.0.0.1:$api_port/api" PAWL_MERCHANT_KEY=$key PAWL_MERCHANT_SECRET=$secret \
    bash -c "$CONFORM_START" &
  receiver=$!
  set +m
  trap 'kill -- "-$receiver" 2>/dev/null || true; wait "$receiver" 2>/dev/null || true' EXIT
  await_receiver "$receiver"
fi

arguments=(
  "$CONFORM_URL"
  --merchant-key "$key"
  --api-port "$api_port"
  --settle-timeout "${CONFORM_SETTLE_TIMEOUT:-20}"
  --junit "${CONFORM_JUNIT:-conform.xml}"
)
[[ -z ${CONFORM_STATE:-} ]] || arguments+=(--state "$CONFORM_STATE")
[[ -z ${GITHUB_STEP_SUMMARY:-} ]] || arguments+=(--summary "$GITHUB_STEP_SUMMARY")
while IFS= read -r only; do
  [[ -z $only ]] || arguments+=(--only "$only")
done <<<"${CONFORM_ONLY:-}"

[[ -z ${GITHUB_OUTPUT:-} ]] || echo "junit=${CONFORM_JUNIT:-conform.xml}" >>"$GITHUB_OUTPUT"

read -r -a command <<<"${CONFORM_COMMAND:-npx --yes pawl@${CONFORM_VERSION:?} conform}"
PAWL_MERCHANT_SECRET=$secret "${command[@]}" "${arguments[@]}"
