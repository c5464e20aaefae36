"""Sends the key in CANDANGO_KEY, and after each rotation the new key."""

import os

import schemathesis

KEY = os.environ.get("CANDANGO_KEY")


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
