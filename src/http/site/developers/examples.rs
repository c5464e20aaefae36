//! Examples in curl, TypeScript and Python: a search, all pages of one, and an error with its wait.

/// A language, and its three examples in the order of [`of`].
pub(crate) type Language = (&'static str, [String; 3]);

const CURL: [&str; 3] = [
    r#"curl -s '{base}/v1/events?q=feira&limit=2' -H "x-api-key: $CANDANGO_KEY""#,
    r#"cursor=
while :; do
  page=$(curl -s "{base}/v1/places?category=museum&cursor=$cursor" -H "x-api-key: $CANDANGO_KEY")
  jq -r '.places[].name' <<<"$page"
  cursor=$(jq -r '.next_cursor // empty' <<<"$page")
  [ -n "$cursor" ] || break
done"#,
    r#"# quota_exceeded is a 429 too, whose wait ends with the month
answer=$(curl -s '{base}/v1/usage' -H "x-api-key: $CANDANGO_KEY")
case $(jq -r '.code // empty' <<<"$answer") in
  "") jq . <<<"$answer" ;;
  rate_limited) sleep "$(jq .retry_after <<<"$answer")" ;;
  *) jq -r .error <<<"$answer" >&2 ;;
esac"#,
];

const TYPESCRIPT: [&str; 3] = [
    r#"// npm install openapi-fetch
// npx openapi-typescript {base}/openapi.json -o guide.d.ts
import createClient from "openapi-fetch";
import type { paths } from "./guide.js";

const headers = { "x-api-key": process.env.CANDANGO_KEY };
const guide = createClient<paths>({ baseUrl: "{base}", headers });
const query = { q: "feira", limit: 2 };
const { data } = await guide.GET("/v1/events", { params: { query } });
console.log(data?.events);"#,
    r#"let cursor: string | undefined;
do {
  const query = { category: ["museum"], cursor };
  const { data } = await guide.GET("/v1/places", { params: { query } });
  for (const place of data?.places ?? []) console.log(place.name);
  cursor = data?.next_cursor;
} while (cursor);"#,
    r#"const { error } = await guide.GET("/v1/usage");
// quota_exceeded is a 429 too, whose wait ends with the month
if (error?.code === "rate_limited") {
  await new Promise((done) => setTimeout(done, 1000 * (error.retry_after ?? 60)));
}"#,
];

const PYTHON: [&str; 3] = [
    r#"# pip install httpx
import os, time, httpx

guide = httpx.Client(base_url="{base}", headers={"x-api-key": os.environ["CANDANGO_KEY"]})
answer = guide.get("/v1/events", params={"q": "feira", "limit": 2}).json()
print(answer["events"])"#,
    r#"query = {"category": "museum"}
while True:
    page = guide.get("/v1/places", params=query).json()
    print(*(place["name"] for place in page["places"]), sep="\n")
    if "next_cursor" not in page:
        break
    query["cursor"] = page["next_cursor"]"#,
    r#"answer = guide.get("/v1/usage")
error = answer.json() if answer.is_error else {}
# quota_exceeded is a 429 too, whose wait ends with the month
if error.get("code") == "rate_limited":
    time.sleep(error["retry_after"])
elif error:
    print(error["code"], error["error"])"#,
];

/// The examples, for the service at `base`.
pub(crate) fn of(base: &str) -> [Language; 3] {
    [("curl", CURL), ("TypeScript", TYPESCRIPT), ("Python", PYTHON)]
        .map(|(name, examples)| (name, examples.map(|example| example.replace("{base}", base))))
}
