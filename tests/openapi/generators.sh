#!/usr/bin/env bash
# Clients of five generators, made of the OpenAPI document of a running server, compiled strictly, and run against it: each
# does a search, pages, an error and a 429. Rust has openapi-generator, since progenitor reads OpenAPI 3.0 only.
#   generators.sh BASE_URL KEY LIMITED_KEY      KEY is of a plan with high limits, LIMITED_KEY of one with few calls a minute
set -euo pipefail
base=$1 key=$2 limited=$3
cd "$(dirname "$0")"
build=$PWD/build target=$(realpath -m ../../target)

[[ -x node_modules/.bin/openapi-ts ]] || npm ci --no-audit --no-fund --ignore-scripts --silent
venv=$target/generators
# made again when the versions change
if ! cmp -s requirements.txt "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r requirements.txt
  cp requirements.txt "$venv"
fi
mkdir -p "$build"
curl -fs "$base/openapi.json" >"$build/openapi.json"

timed() {
  local name=$1 began=$SECONDS
  shift
  echo "== $name"
  "$@"
  echo "$name: $((SECONDS - began)) s"
}

openapi_typescript() {
  npx openapi-typescript "$build/openapi.json" -o schema.d.ts
  npx tsc -p .
  node "$build/client.js" "$base" "$key" "$limited"
}

hey_api() {
  rm -rf "$build/hey"
  npx openapi-ts -i ./build/openapi.json -o ./build/hey --silent
  npx tsc -p tsconfig.hey.json
  node "$build/js/hey.js" "$base" "$key" "$limited"
}

openapi_python_client() {
  rm -rf "$build/candango_api_client"
  (cd "$build" && "$venv/bin/openapi-python-client" generate --path openapi.json --meta none --fail-on-warning \
    --config ../python-client.yaml)
  MYPYPATH=$build "$venv/bin/mypy" --strict --cache-dir "$build/.mypy" client.py "$build/candango_api_client"
  PYTHONPATH=$build PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" client.py "$base" "$key" "$limited"
}

datamodel_code_generator() {
  "$venv/bin/datamodel-codegen" --input "$build/openapi.json" --input-file-type openapi --output "$build/models.py" \
    --output-model-type pydantic_v2.BaseModel --use-annotated --target-python-version 3.11 --formatters builtin
  MYPYPATH=$build "$venv/bin/mypy" --strict --cache-dir "$build/.mypy" models_client.py "$build/models.py"
  PYTHONPATH=$build PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" models_client.py "$base" "$key" "$limited"
}

openapi_generator_rust() {
  rm -rf "$build/rust"
  "$venv/bin/openapi-generator-cli" generate -g rust -i "$build/openapi.json" -o "$build/rust" >"$build/rust.log" \
    --additional-properties=packageName=candango-api,packageVersion=0.0.0,library=reqwest,avoidBoxedModels=true
  RUSTFLAGS="-D warnings" CARGO_TARGET_DIR=$target/openapi-rust \
    cargo build --locked --quiet --manifest-path rust/Cargo.toml
  "$target/openapi-rust/debug/candango-openapi-client" "$base" "$key" "$limited"
}

timed openapi-typescript openapi_typescript
timed "@hey-api/openapi-ts" hey_api
timed openapi-python-client openapi_python_client
timed datamodel-code-generator datamodel_code_generator
timed "openapi-generator, Rust" openapi_generator_rust
