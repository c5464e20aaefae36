"""The client of openapi-python-client, as users call it."""

import sys

from candango_api_client import AuthenticatedClient
from candango_api_client.api.guide import ask, get_place, get_usage, search_events, search_places
from candango_api_client.models.error import Error
from candango_api_client.models.error_code import ErrorCode
from candango_api_client.models.place import Place
from candango_api_client.models.search_events_answer import SearchEventsAnswer
from candango_api_client.models.search_events_request import SearchEventsRequest
from candango_api_client.models.search_places_answer import SearchPlacesAnswer
from candango_api_client.models.search_places_request import SearchPlacesRequest
from candango_api_client.types import UNSET, Unset


def connect(base: str, key: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=base, token=key, prefix="", auth_header_name="x-api-key")


def museums(client: AuthenticatedClient) -> list[Place]:
    """Every museum, page by page."""
    places: list[Place] = []
    cursor: str | Unset = UNSET
    while True:
        page = search_places.sync(client=client, category=["museum"], limit=5, cursor=cursor)
        assert isinstance(page, SearchPlacesAnswer), page
        places += page.places
        if isinstance(page.next_cursor, Unset):
            return places
        cursor = page.next_cursor


def wait_of_a_429(client: AuthenticatedClient) -> int:
    """Calls until the limit of the minute is used up."""
    for _ in range(100):
        answer = get_usage.sync_detailed(client=client)
        if answer.status_code == 429:
            assert isinstance(answer.parsed, Error) and answer.parsed.code == ErrorCode.RATE_LIMITED
            assert isinstance(answer.parsed.retry_after, int)
            return answer.parsed.retry_after
    raise AssertionError("no 429")


def main(base: str, key: str, limited: str) -> None:
    client = connect(base, key)
    found = search_events.sync(client=client, q="feira", limit=3)
    assert isinstance(found, SearchEventsAnswer) and found.events, found
    request = SearchEventsRequest(action="search_events", q="feira", limit=3)
    assert ask.sync(client=client, body=request) == found, "POST and GET answer alike"

    one = SearchPlacesRequest(action="search_places", category="museum", limit=1)
    many = SearchPlacesRequest(action="search_places", category=["museum"], limit=1)
    assert ask.sync(client=client, body=one) == ask.sync(client=client, body=many), "one text or a list"

    places = museums(client)
    assert len(places) > 5 and len({place.id for place in places}) == len(places)

    missing = get_place.sync(client=client, id="no-such-place")
    assert isinstance(missing, Error) and missing.code == ErrorCode.UNKNOWN_RECORD

    wait = wait_of_a_429(connect(base, limited))
    assert 0 <= wait <= 60
    print(f"openapi-python-client: {found.total} events, {len(places)} museums, a 429 with {wait} s")


main(*sys.argv[1:])
