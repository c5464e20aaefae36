// A client as users would write it: its types are generated from the document, and it calls a running server. A mistake
// in the document does not compile, or fails here.

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const [, , base, key] = process.argv;
assert.ok(base && key, "usage: client.js BASE_URL KEY");

const guide = createClient<paths>({ baseUrl: base, headers: { "x-api-key": key } });
const anonymous = createClient<paths>({ baseUrl: base });

type Event = components["schemas"]["Event"];
type Place = components["schemas"]["Place"];

async function events(q: string): Promise<Event[]> {
  const { data } = await guide.POST("/v1", { body: { action: "search_events", q, limit: 3 } });
  assert.ok(data && "events" in data);
  return data.events;
}

/** Every place of a category, page by page. */
async function* places(category: string): AsyncGenerator<Place> {
  let cursor: string | undefined;
  do {
    const { data } = await guide.POST("/v1", {
      body: { action: "search_places", category, limit: 5, ...(cursor && { cursor }) },
    });
    assert.ok(data && "places" in data && "total" in data);
    yield* data.places;
    cursor = data.next_cursor;
  } while (cursor);
}

const plans = await anonymous.GET("/v1/plans");
assert.deepEqual(plans.data?.plans.map(({ id }) => id), ["free", "gringo", "pro", "business"]);
assert.ok(plans.response.headers.get("link")?.includes("service-desc"));

const found = await events("feira");
assert.ok(found.length > 0 && found.every(({ date, region }) => date.length === 10 && region.length > 0));

const museums: Place[] = [];
for await (const museum of places("museum")) museums.push(museum);
assert.ok(museums.length > 5 && new Set(museums.map(({ id }) => id)).size === museums.length);
const website: string | undefined = museums[0]?.links?.website;
assert.ok(website === undefined || website.startsWith("https://"));

const unknown = await guide.POST("/v1", { body: { action: "search_places", region: "Copacabana" } });
assert.equal(unknown.response.status, 400);
assert.ok(unknown.error?.code === "unknown_region" && unknown.error.param === "region");

const refused = await anonymous.POST("/v1", { body: { action: "usage" } });
assert.equal(refused.error?.code, "missing_key");

const usage = await guide.POST("/v1", { body: { action: "usage" } });
assert.ok(usage.data && "calls_this_month" in usage.data && usage.data.calls_this_month > 0);

const status = await guide.POST("/v1/billing/status");
assert.equal(status.data?.subscription.status, "none");

const called = await anonymous.POST("/mcp", {
  body: {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "search_places", arguments: { q: "sushi" } },
  },
});
assert.ok(called.data && typeof called.data === "object" && "result" in called.data);

console.log(`client: ${found.length} events, ${museums.length} museums, ${usage.data.calls_remaining} calls left`);
