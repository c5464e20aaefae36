// Browser tokens in a browser: pages of other origins that call the API.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { browse, start } from './service.js';

let service;
let browser;
let pages;
let key;
let token;

/** Serves one empty page under any name, over TLS: a page that a test makes up by interception would send no preflight. */
async function servePages() {
  const folder = await mkdtemp(join(tmpdir(), 'candango-pages-'));
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=app.example'];
  await promisify(execFile)('openssl', [...words, '-keyout', keyFile, '-out', certFile]);
  const secrets = { key: await readFile(keyFile), cert: await readFile(certFile) };
  await rm(folder, { recursive: true });
  const server = createServer(secrets, (request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>A page</title>');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** The origin of pages under a name. */
const at = (name) => `https://${name}:${pages.address().port}`;

before(async () => {
  const flags = [
    '--host-resolver-rules=MAP *.example 127.0.0.1',
    // the pages are of the internet, and the service of this machine: browsers ask before they let one call the other
    '--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessSendPreflights',
  ];
  [service, browser, pages] = await Promise.all([start(), browse(flags), servePages()]);
  ({ api_key: key } = await service.command('key', 'issue', '--email', 'a@b.c', '--plan', 'business'));
  ({ token } = await service.command('token', 'issue', '--email', 'a@b.c', '--origin', at('app.example')));
});

after(async () => {
  await browser?.close();
  pages?.close();
  await service?.stop();
});

/** What a page of an origin gets for a request: the status and the JSON, or the error of its browser. */
async function fetched(origin, path, options) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  try {
    const page = await context.newPage();
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
    const answer = await fetched(at('app.example'), path, options);
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
  for (const origin of ['evil.example', 'app.example.evil.example', 'www.app.example'].map(at)) {
    const answer = await fetched(origin, '/v1', search({ 'x-browser-token': token }));
    assert.equal(answer.status, 403, JSON.stringify(answer));
    assert.equal(answer.body.code, 'token_origin');
    assert.ok(!('places' in answer.body));
  }
});

test('a key is not sent from a page of another origin, and without a token nothing can be read', async () => {
  for (const headers of [{ 'x-api-key': key }, { 'x-api-key': key, 'x-browser-token': token }, {}]) {
    const answer = await fetched(at('app.example'), '/v1', search(headers));
    assert.match(answer.refused ?? '', /Failed to fetch/, JSON.stringify(answer));
  }
  const { calls_this_month: calls } = await service.ask(key, { action: 'usage' });
  assert.equal(calls, 3, 'two calls of the page, and one of the test');
});
