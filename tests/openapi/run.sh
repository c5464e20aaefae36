#!/usr/bin/env bash
# Checks a running server against its OpenAPI document with third-party tools: two linters, and schemathesis, which
# generates requests. The server needs high limits; see .ci/run.
#   run.sh BASE_URL KEY      KEY is a key of a paid plan; the run replaces it
set -euo pipefail
base=$1 key=$2
cd "$(dirname "$0")"

[[ -x node_modules/.bin/openapi-ts ]] || npm ci --no-audit --no-fund --ignore-scripts --silent
venv=../../target/schemathesis
[[ -x $venv/bin/schemathesis ]] || {
  # an installation that was interrupted is begun anew
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check schemathesis==4.32.5
}
mkdir -p build
curl -fs "$base/openapi.json" >build/openapi.json

echo "== redocly"
REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true npx redocly lint build/openapi.json
echo "== spectral"
npx spectral lint --ruleset spectral.yaml --fail-severity hint build/openapi.json
for sent in "$key" ""; do
  options=(--max-examples 50)
  if [[ $sent ]]; then
    echo "== schemathesis with a key"
  else
    echo "== schemathesis without a key"
    # endpoints that need a key refuse every request here, as they should
    options=(--warnings off --max-examples 20)
  fi
  CANDANGO_KEY=$sent SCHEMATHESIS_HOOKS=hooks PYTHONPATH=. PYTHONDONTWRITEBYTECODE=1 \
    "$venv/bin/schemathesis" run "${options[@]}" --url "$base" build/openapi.json
done
