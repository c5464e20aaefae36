// The program under test on free ports with its own data folder, and the browser.

import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import PostalMime from 'postal-mime';

const program = process.env.CANDANGO ?? fileURLToPath(new URL('../../target/debug/candango', import.meta.url));
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** The environment of a program whose clock is so many days ahead. */
async function ahead(days) {
  for (const folder of await readdir('/usr/lib')) {
    const library = join('/usr/lib', folder, 'faketime/libfaketime.so.1');
    if (await stat(library).catch(() => null)) {
      return { LD_PRELOAD: library, FAKETIME: `+${days}d`, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
    }
  }
  throw new Error('libfaketime is not installed');
}

/** Starts the program with high limits, with more settings and so many days ahead, and waits until it is ready. */
export async function start(settings = [], days = 0) {
  const folder = await mkdtemp(join(tmpdir(), 'candango-browser-'));
  const [port, ops] = [await freePort(), await freePort()];
  const many = ['preview.per_minute', 'preview.per_day', 'preview.per_minute_all', 'site_searches.per_minute', 'site_searches.per_day', 'site_searches.per_minute_all', 'signup.per_ip_hour', 'signup.per_ip_day', 'signup.per_address_burst', 'signup.per_address_day'];
  const set = [...many.map((name) => `${name}=1000000`), ...settings].flatMap((setting) => ['--set', setting]);
  const data = join(folder, 'data');
  const listen = ['--data', data, '--listen', `127.0.0.1:${port}`, '--ops-listen', `127.0.0.1:${ops}`];
  const child = spawn(program, [...listen, ...set], { cwd: folder, stdio: 'ignore', env: days ? await ahead(days) : {} });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const base = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries += 1) {
    const ready = await fetch(`http://127.0.0.1:${ops}/readyz`).catch(() => null);
    if (ready?.ok) break;
    if (tries > 300) throw new Error('the program is not ready');
    await sleep(100);
  }
  const run = async (...words) => {
    const { stdout } = await promisify(execFile)(program, [...words, '--data', data], { cwd: folder, env: {} });
    return stdout;
  };
  return {
    base,
    /** Waits for a mail to an address whose subject matches, and returns it with its parts decoded. */
    async letter(address, subject) {
      for (let tries = 0; tries < 300; tries += 1) {
        const names = await readdir(join(data, 'outbox')).catch(() => []);
        // a mail has another name while it is written
        for (const name of names.filter((name) => name.endsWith('.eml'))) {
          const mail = await PostalMime.parse(await readFile(join(data, 'outbox', name)));
          if (mail.to?.some((to) => to.address === address) && subject.test(mail.subject)) return mail;
        }
        await sleep(100);
      }
      throw new Error(`no mail to ${address} about ${subject}`);
    },
    /** Runs a command of the program on the same data and returns what it prints. */
    run,
    /** Runs a command of the program on the same data and returns the JSON that it prints. */
    command: async (...words) => JSON.parse(await run(...words, '--json')),
    /** Calls the API with a key. */
    async ask(key, body) {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const answer = await fetch(`${base}/v1`, { method: 'POST', headers, body: JSON.stringify(body) });
      return answer.json();
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Launches the browser. */
export function browse(flags = []) {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', ...flags] });
}

/** Starts the program and the browser, which end with the tests of the file. */
export async function serve(defaults = {}) {
  const [service, browser] = await Promise.all([start(), browse()]);
  after(async () => {
    await browser.close();
    await service.stop();
  });
  /** Runs `visit` with a page in a browser context of its own. */
  const visiting = async (options, visit) => {
    const context = await browser.newContext({ baseURL: service.base, ...defaults, ...options });
    try {
      return await visit(await context.newPage());
    } finally {
      await context.close();
    }
  };
  return { service, visiting };
}

/** The violations that axe finds on a page with these options, one per line. */
export async function faults(page, options = {}) {
  await page.evaluate(axe);
  // colours that are changing have no contrast yet
  await page.evaluate(() => document.getAnimations().forEach((animation) => animation.finish()));
  const { violations } = await page.evaluate((given) => globalThis.axe.run(document, { resultTypes: ['violations'], ...given }), options);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} (${node.any[0]?.message ?? ''})`));
}
