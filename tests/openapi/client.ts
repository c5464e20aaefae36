// The types of openapi-typescript with openapi-fetch, as users write a client of them: a mistake in the document does not
// compile, or fails here against a running server.

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const [, , base, key, limited] = process.argv;
assert.ok(base && key && limited, "usage: client.js BASE_URL KEY LIMITED_KEY");

const guide = createClient<paths>({ baseUrl: base, headers: { "x-api-key": key } });
const anonymous = createClient<paths>({ baseUrl: base });
const hurried = createClient<paths>({ baseUrl: base, headers: { "x-api-key": limited } });

type Event = components["schemas"]["Event"];
type Place = components["schemas"]["Place"];

async function events(q: string): Promise<Event[]> {
  const { data } = await guide.POST("/v1", { body: { action: "search_events", q, limit: 3 } });
  assert.ok(data?.action === "search_events");
  return data.events;
}

/** Every place of a category, page by page. */
async function* places(category: string): AsyncGenerator<Place> {
  let cursor: string | undefined;
  do {
    const query = { category: [category], limit: 5, ...(cursor && { cursor }) };
    const { data } = await guide.GET("/v1/places", { params: { query } });
    assert.ok(data);
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

// one text or a list, as the contract has it
for (const region of ["Copacabana", ["Copacabana"]]) {
  const { error } = await guide.POST("/v1", { body: { action: "search_places", region, fields: "id,name" } });
  assert.ok(error?.code === "unknown_region");
}
const unknown = await guide.POST("/v1", { body: { action: "search_places", region: ["Copacabana"] } });
assert.equal(unknown.response.status, 400);
assert.ok(unknown.error?.code === "unknown_region" && unknown.error.param === "region");

const mistaken = await guide.GET("/v1/events", { params: { query: { category: ["nothing"] } } });
assert.ok(mistaken.error?.code === "unknown_category");

const event = found[0];
assert.ok(event);
const page = await guide.GET("/v1/events/{id}", { params: { path: { id: event.id } } });
assert.equal(page.data?.event.name, event.name);

const table = await guide.GET("/v1/events.csv", { params: { query: { limit: 1 } }, parseAs: "text" });
assert.ok(table.data?.startsWith("id,"));

const refused = await anonymous.POST("/v1", { body: { action: "usage" } });
assert.equal(refused.error?.code, "missing_key");

const usage = await guide.POST("/v1", { body: { action: "usage" } });
assert.ok(usage.data && "calls_this_month" in usage.data && usage.data.calls_this_month > 0);

let wait: number | undefined;
for (let calls = 0; calls < 100 && wait === undefined; calls++) {
  const { error } = await hurried.GET("/v1/usage");
  if (error?.code === "rate_limited") wait = error.retry_after;
}
assert.ok(wait !== undefined && wait <= 60);

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
