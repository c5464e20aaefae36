// Browser tokens in a browser: pages of other origins that call the API.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browse, start } from './service.js';

let service;
let browser;
let key;
let token;

before(async () => {
  // the pages are of the internet, and the service of this machine: browsers ask before they let one call the other
  const flags = ['--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessSendPreflights'];
  [service, browser] = await Promise.all([start(), browse(flags)]);
  ({ api_key: key } = await service.command('key', 'issue', '--email', 'a@b.c', '--plan', 'business'));
  ({ token } = await service.command('token', 'issue', '--email', 'a@b.c', '--origin', 'https://app.example'));
});

after(async () => {
  await browser?.close();
  await service?.stop();
});

/** What a page of an origin gets for a request: the status and the JSON, or the error of its browser. */
async function fetched(origin, path, options) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.route(`${origin}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>A page</title>' }));
    await page.goto(`${origin}/`);
    return await page.evaluate(async ([url, init]) => {
      try {
        const answer = await fetch(url, init);
        return { status: answer.status, left: answer.headers.get('x-ratelimit-remaining'), body: await answer.json() };
      } catch (error) {
        return { refused: String(error) };
      }
    }, [`${service.base}${path}`, options]);
  } finally {
    await context.close();
  }
}

const search = (headers) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ action: 'search_places', limit: 5 }),
});

test('a page of the origin of the token asks the guide, and never sees the full view', async () => {
  for (const [path, options] of [['/v1', search({ 'x-browser-token': token })], ['/v1/places?limit=5', { headers: { 'x-browser-token': token } }]]) {
    const answer = await fetched('https://app.example', path, options);
    assert.equal(answer.status, 200, JSON.stringify(answer));
    assert.equal(answer.body.places.length, 5);
    assert.ok(Number(answer.left) > 0, 'the page can read what is left');
    for (const place of answer.body.places) {
      for (const field of ['address', 'links', 'description', 'location']) assert.ok(!(field in place), field);
    }
  }
  const paid = await service.ask(key, { action: 'search_places', limit: 5 });
  assert.ok(paid.places.some((place) => 'address' in place), 'the plan has the full view');
});

test('a page of another origin gets nothing, and reads why', async () => {
  for (const origin of ['https://evil.example', 'https://app.example.evil.example', 'https://app.example:8443']) {
    const answer = await fetched(origin, '/v1', search({ 'x-browser-token': token }));
    assert.equal(answer.status, 403, JSON.stringify(answer));
    assert.equal(answer.body.code, 'token_origin');
    assert.ok(!('places' in answer.body));
  }
});

test('a key is not sent from a page of another origin, and without a token nothing can be read', async () => {
  for (const headers of [{ 'x-api-key': key }, { 'x-api-key': key, 'x-browser-token': token }, {}]) {
    const answer = await fetched('https://app.example', '/v1', search(headers));
    assert.match(answer.refused ?? '', /Failed to fetch/, JSON.stringify(answer));
  }
  const { calls_this_month: calls } = await service.ask(key, { action: 'usage' });
  assert.equal(calls, 3, 'two calls of the page, and one of the test');
});
