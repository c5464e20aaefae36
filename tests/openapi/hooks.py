"""Sends the key in CANDANGO_KEY, and after each rotation the new key. Sends no request that is wrong only by the document:
the service understands more, since forms and tools without code send it, and tests/api holds it to that."""

import os
import re

import schemathesis

KEY = os.environ.get("CANDANGO_KEY")

# As the document has it.
TIME = re.compile("([01][0-9]|2[0-3]):[0-5][0-9]")


def is_blank(value):
    # blank names of a list are passed over
    if isinstance(value, list):
        return any(is_blank(one) for one in value)
    return value is None or isinstance(value, str) and not value.strip()


def fields(case):
    """The schemas of the fields of the body, and the names of the required ones."""
    components = case.operation.schema.raw_schema["components"]["schemas"]
    content = case.operation.definition.raw.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    if isinstance(case.body, dict):
        action = case.body.get("action")
        mapping = schema.get("discriminator", {}).get("mapping", {})
        reference = mapping.get(action) if isinstance(action, str) else None
        reference = reference or schema.get("$ref")
        schema = components[reference.rsplit("/", 1)[1]] if reference else schema
    return schema.get("properties", {}), schema.get("required", [])


def is_understood(name, value, schema):
    """Whether a value is taken for another one that fits the schema."""
    if is_blank(value):
        return True
    # an hour alone is a time of the day
    if name.startswith("time_") and not TIME.fullmatch(str(value)):
        return str(value).strip()[:1].isdigit()
    if not isinstance(value, str):
        return False
    match schema.get("type"):
        case "boolean":
            return value.strip() in ("true", "false")
        case "integer":
            return value.strip().lstrip("+-").isdigit()
    return False


@schemathesis.hook
def filter_case(context, case):
    if case.path == "/mcp":
        return True
    # with fields a record has these alone, which its schema cannot say
    if any("fields" in part for part in (case.query, case.body) if isinstance(part, dict)):
        return False
    # every value of a query is a text, whatever its type
    if any(is_understood(name, value, {}) for name, value in (case.query or {}).items()):
        return False
    if not isinstance(case.body, dict):
        return True
    schemas, required = fields(case)
    optional = [name for name in case.body if name in schemas and name not in required]
    return not any(is_understood(name, case.body[name], schemas[name]) for name in optional)


if KEY:

    @schemathesis.auth(refresh_interval=None)
    class Key:
        def get(self, case, context):
            return KEY

        def set(self, case, data, context):
            case.headers["x-api-key"] = data

    @schemathesis.hook
    def after_call(context, case, response):
        global KEY
        if case.path == "/v1/keys/rotate" and response.status_code == 200:
            KEY = response.json()["api_key"]
