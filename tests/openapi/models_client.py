"""The pydantic models of datamodel-code-generator with httpx, as users write a client of them."""

import sys

import httpx
from models import (
    Error,
    ErrorCode,
    NameOrNames,
    Place,
    SearchEventsAnswer,
    SearchEventsRequest,
    SearchPlacesAnswer,
    SearchPlacesRequest,
)


def connect(base: str, key: str) -> httpx.Client:
    return httpx.Client(base_url=base, headers={"x-api-key": key})


def museums(client: httpx.Client) -> list[Place]:
    """Every museum, page by page."""
    places: list[Place] = []
    query: dict[str, str | int] = {"category": "museum", "limit": 5}
    while True:
        page = SearchPlacesAnswer.model_validate_json(client.get("/v1/places", params=query).content)
        places += page.places
        if page.next_cursor is None:
            return places
        query["cursor"] = page.next_cursor


def wait_of_a_429(client: httpx.Client) -> int:
    """Calls until the limit of the minute is used up."""
    for _ in range(100):
        answer = client.get("/v1/usage")
        if answer.status_code == 429:
            error = Error.model_validate_json(answer.content)
            assert error.code is ErrorCode.rate_limited and error.retry_after is not None
            return error.retry_after
    raise AssertionError("no 429")


def main(base: str, key: str, limited: str) -> None:
    client = connect(base, key)
    request = SearchEventsRequest(action="search_events", q="feira", limit=3)
    body = request.model_dump(mode="json", by_alias=True, exclude_none=True)
    found = SearchEventsAnswer.model_validate_json(client.post("/v1", json=body).content)
    assert found.events

    for category in (NameOrNames("museum"), NameOrNames(["museum"])):
        asked = SearchPlacesRequest(action="search_places", category=category, limit=1)
        body = asked.model_dump(mode="json", by_alias=True, exclude_none=True)
        one = SearchPlacesAnswer.model_validate_json(client.post("/v1", json=body).content)
        assert len(one.places) == 1, "one text or a list"

    places = museums(client)
    assert len(places) > 5 and len({place.id for place in places}) == len(places)

    missing = client.get("/v1/places/no-such-place")
    assert Error.model_validate_json(missing.content).code is ErrorCode.unknown_record

    wait = wait_of_a_429(connect(base, limited))
    assert 0 <= wait <= 60
    print(f"pydantic: {found.total} events, {len(places)} museums, a 429 with {wait} s")


main(*sys.argv[1:])
