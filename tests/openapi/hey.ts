// The client of @hey-api/openapi-ts, as users call it.

import assert from "node:assert/strict";
import { createClient } from "./build/hey/client/index.js";
import { ask, getPlace, getUsage, searchEvents, searchPlaces } from "./build/hey/index.js";
import type { ErrorCode, Place } from "./build/hey/index.js";

const [, , base, key, limited] = process.argv;
assert.ok(base && key && limited, "usage: hey.js BASE_URL KEY LIMITED_KEY");

const client = createClient({ baseUrl: base, auth: key });

const found = await searchEvents({ client, query: { q: "feira", limit: 3 } });
assert.ok(found.data && found.data.events.length > 0);

const asked = await ask({ client, body: { action: "search_events", q: "feira", limit: 3 } });
assert.ok(asked.data?.action === "search_events");
assert.deepEqual(asked.data.events, found.data.events);

const fields = { action: "search_places", category: "museum", fields: "id,name", limit: 1 } as const;
const some = await ask({ client, body: fields });
assert.ok(some.data?.action === "search_places" && some.data.places.length === 1);

const museums: Place[] = [];
let cursor: string | undefined;
do {
  const query = { category: ["museum"], limit: 5, ...(cursor && { cursor }) };
  const { data } = await searchPlaces({ client, query });
  assert.ok(data);
  museums.push(...data.places);
  cursor = data.next_cursor;
} while (cursor);
assert.ok(museums.length > 5 && new Set(museums.map(({ id }) => id)).size === museums.length);

const missing = await getPlace({ client, path: { id: "no-such-place" } });
const expected: ErrorCode = "unknown_record";
assert.equal(missing.error?.code, expected);

const hurried = createClient({ baseUrl: base, auth: limited });
let wait: number | undefined;
for (let calls = 0; calls < 100 && wait === undefined; calls++) {
  const { error } = await getUsage({ client: hurried });
  if (error?.code === "rate_limited") wait = error.retry_after;
}
assert.ok(wait !== undefined && wait <= 60);

console.log(`hey: ${found.data.total} events, ${museums.length} museums, a 429 with ${wait} s`);
