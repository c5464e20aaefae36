// What people come for, from the first page to the end, in a browser alone.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { faults, serve, start } from './service.js';

const CPF = '52998224725';

const { service, visiting } = await serve({ locale: 'pt-BR' });

const path = (page) => new URL(page.url()).pathname;

/** Opens the series that every test of dates uses, and then its next date. */
async function nextDate(page) {
  await page.goto('/event/choro-no-eixo');
  await page.locator('a[href^="/event/choro-no-eixo-"]').first().click();
  await page.waitForURL(/choro-no-eixo-\d/);
  return path(page);
}

test('this weekend with children', () => visiting({}, async (page) => {
  await page.goto('/');
  await page.getByLabel('O que você procura').fill('com crianças');
  await page.getByRole('radio', { name: 'Eventos' }).check();
  await page.getByText('Quando, onde e categoria').click();
  await page.getByLabel('Quando').selectOption('weekend');
  await page.getByRole('button', { name: 'Buscar' }).click();
  await page.getByRole('status').waitFor();
  const days = await page.locator('.agenda li time').evaluateAll((times) => times.map((time) => time.dateTime.slice(0, 10)));
  if (days.length === 0) {
    // a weekend without any is said to be one, and a click shows the next ones
    await page.getByRole('link', { name: /nos próximos 7 dias|qualquer|próximo|em lugares/ }).first().click();
    assert.ok(await page.locator('.agenda li, .places li').count() > 0);
    return;
  }
  await page.locator('.agenda li a').first().click();
  assert.match(path(page), /^\/event\//);
  assert.ok(await page.getByRole('link', { name: 'Como chegar' }).isVisible());
}));

test('a boteco in Asa Norte, and how to get there', () => visiting({ javaScriptEnabled: false }, async (page) => {
  await page.goto('/');
  await page.locator('.blocks-areas a', { hasText: 'Asa Norte' }).click();
  assert.equal(path(page), '/area/asa-norte');
  await page.locator('main a[href="/area/asa-norte/boteco"]').click();
  assert.equal(path(page), '/area/asa-norte/boteco');
  await page.locator('.places a').first().click();
  const name = await page.getByRole('heading', { level: 1 }).textContent();
  const way = new URL(await page.getByRole('link', { name: 'Como chegar' }).getAttribute('href'));
  assert.deepEqual([way.protocol, way.searchParams.get('destination')], ['https:', `${name}, Asa Norte, Brasília`]);
}));

test('an event is sent to a friend, who opens it at once and a week later', () => visiting({}, async (page) => {
  const event = await nextDate(page);
  const message = new URL(await page.getByRole('link', { name: 'Enviar por WhatsApp' }).getAttribute('href')).searchParams.get('text');
  const [link] = message.match(/http\S+/);
  assert.equal(link, `${service.base}${event}`);
  assert.match(message, /Choro no Eixo, domingo, \d+ de /);
  await page.goto(link);
  const image = await page.locator('meta[property="og:image"]').getAttribute('content');
  const size = await page.evaluate(async (source) => {
    const picture = Object.assign(new Image(), { src: source });
    await picture.decode();
    return [picture.naturalWidth, picture.naturalHeight];
  }, image);
  assert.deepEqual(size, [1200, 630]);
  const later = await start([], 8);
  try {
    const answer = await page.goto(`${later.base}${event}`);
    assert.equal(answer.status(), 200);
    await page.getByText('já passou').first().waitFor();
    await page.locator('.no a, p a').filter({ hasText: /domingo/ }).first().click();
    assert.match(path(page), /choro-no-eixo-\d{4}/);
    assert.notEqual(path(page), event);
  } finally {
    await later.stop();
  }
}));

test('an event is put into a calendar', () => visiting({ acceptDownloads: true }, async (page) => {
  const event = await nextDate(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Adicionar à agenda' }).click(),
  ]);
  const calendar = (await readFile(await download.path(), 'utf8')).replace(/\r\n /g, '');
  const day = event.slice(-10).replaceAll('-', '');
  assert.match(calendar, new RegExp(`^DTSTART[^:]*:${day}`, 'm'));
  assert.match(calendar, /^SUMMARY:Choro no Eixo/m);
  assert.equal(calendar.match(/BEGIN:VEVENT/g).length, 1);
}));

test('three are kept and printed', () => visiting({}, async (page) => {
  for (const one of ['/event/choro-no-eixo', '/place/memorial-jk', '/place/clube-do-choro']) {
    assert.equal((await page.goto(one)).status(), 200, one);
    await page.getByRole('button', { name: 'Guardar' }).click();
    // the page stays, and says so
    await page.getByRole('button', { name: 'Guardado' }).waitFor();
  }
  // what is kept can be let go where it was kept
  await page.getByRole('button', { name: 'Guardado' }).click();
  await page.getByRole('button', { name: 'Guardar' }).click();
  await page.getByRole('navigation', { name: 'Principal' }).getByRole('link', { name: 'Lista 3' }).click();
  await page.getByRole('heading', { name: 'Minha lista' }).waitFor();
  await page.locator('.places li').first().waitFor();
  assert.equal(await page.locator('.agenda li, .places li').count(), 3);
  await page.getByText('Mudar a lista').click();
  await page.getByRole('link', { name: /^Tirar Memorial JK/ }).click();
  await page.goBack();
  await page.emulateMedia({ media: 'print' });
  for (const name of ['Choro no Eixo', 'Memorial JK']) {
    assert.ok(await page.getByRole('link', { name, exact: true }).first().isVisible(), name);
  }
  assert.equal(await page.getByRole('link', { name: /^Tirar/ }).first().isVisible(), false, 'nothing to press on paper');
  const paper = await page.pdf({ format: 'A4' });
  assert.equal(paper.toString('latin1').match(/\/Type\s*\/Page\b/g).length, 1, 'one sheet');
}));

test('a full list takes nothing more and loses nothing', () => visiting({}, async (page) => {
  const kept = () => page.evaluate(() => JSON.parse(localStorage.getItem('list')));
  await page.goto('/place/memorial-jk');
  await page.evaluate(() => localStorage.setItem('list', JSON.stringify(Array.from({ length: 40 }, (_, number) => `one-${number}`))));
  const before = await kept();
  await page.reload();
  await page.getByRole('button', { name: 'Guardar' }).click();
  await page.getByRole('button', { name: 'Uma lista tem até 40 itens' }).waitFor();
  assert.deepEqual(await kept(), before);
  await page.goto('/lista?i=choro-no-eixo,memorial-jk');
  await page.getByRole('button', { name: 'Guardar na minha lista' }).click();
  await page.getByRole('button', { name: 'Uma lista tem até 40 itens' }).waitFor();
  assert.deepEqual(await kept(), before);
}));

test('a list that was sent is not said to be one\'s own until it is kept', () => visiting({}, async (page) => {
  const sent = '/lista?i=choro-no-eixo,memorial-jk';
  await visiting({ javaScriptEnabled: false }, async (plain) => {
    await plain.goto(sent);
    await plain.getByRole('heading', { name: 'Lista', exact: true }).waitFor();
  });
  await page.goto(sent);
  await page.getByRole('heading', { name: 'Lista compartilhada' }).waitFor();
  assert.deepEqual(await faults(page), []);
  assert.equal(await page.getByText('Mudar a lista').count(), 0);
  await page.getByRole('button', { name: 'Guardar na minha lista' }).click();
  await page.getByRole('heading', { name: 'Minha lista' }).waitFor();
  await page.getByRole('link', { name: 'Lista 2' }).waitFor();
  const address = page.getByText(`${service.base}${sent}`);
  assert.equal(await address.isVisible(), false);
  await page.emulateMedia({ media: 'print' });
  assert.ok(await address.isVisible(), 'paper has no address bar');
  assert.equal(await page.getByText('Mudar a lista').isVisible(), false);
}));

test('a list grows without scripts', () => visiting({ javaScriptEnabled: false }, async (page) => {
  await page.goto('/place/memorial-jk');
  await page.getByRole('link', { name: 'Guardar' }).click();
  await page.getByLabel('Link').fill(`${service.base}/event/choro-no-eixo`);
  await page.getByRole('button', { name: 'Juntar' }).click();
  await page.locator('.agenda li').first().waitFor();
  assert.equal(await page.locator('.agenda li, .places li').count(), 2);
  await page.getByLabel('Link').fill('https://example.org/event/choro-no-eixo');
  await page.getByRole('button', { name: 'Juntar' }).click();
  assert.match(await page.getByRole('alert').textContent(), /outro site/);
  assert.equal(await page.locator('.agenda li, .places li').count(), 2, 'the list is as it was');
}));

test('a list stands in a page of somebody else', () => visiting({}, async (page) => {
  await page.goto('/area/asa-norte');
  await page.getByText('Para o seu site').click();
  const frame = await page.locator('details .code code').textContent();
  assert.match(frame, /^<iframe src="[^"]+\/embed\/area\/asa-norte" title="[^"]+"/);
  const html = `<!doctype html><title>Blog</title>${frame}`;
  const blog = createServer((request, response) => response.setHeader('content-type', 'text/html').end(html));
  await new Promise((resolve) => { blog.listen(0, '127.0.0.1', resolve); });
  try {
    const logged = [];
    page.on('console', (message) => logged.push(message.text()));
    await page.goto(`http://localhost:${blog.address().port}/`);
    const link = page.frameLocator('iframe').getByRole('link').nth(1);
    const [opened] = await Promise.all([page.waitForEvent('popup'), link.click()]);
    await opened.waitForLoadState();
    assert.ok(opened.url().startsWith(`${service.base}/`), opened.url());
    assert.deepEqual(logged.filter((text) => !/favicon|404/.test(text)), []);
  } finally {
    blog.closeAllConnections();
    blog.close();
  }
}));

test('a reader says that something changed, and the curator reads it', () => visiting({}, async (page) => {
  await page.goto('/place/memorial-jk');
  await page.getByRole('link', { name: 'Algo mudou? Conte aqui' }).click();
  await page.getByRole('button', { name: 'Enviar' }).click();
  assert.equal(await page.getByLabel('O que falta ou mudou').evaluate((field) => field.matches(':invalid')), true);
  await page.getByLabel('O que falta ou mudou').fill('Fecha às segundas <b>agora</b>.');
  await page.getByRole('button', { name: 'Enviar' }).click();
  await page.getByRole('heading', { name: 'Obrigado' }).waitFor();
  const read = await service.run('suggestions', 'list', '--json');
  assert.ok(read.includes('Fecha às segundas <b>agora</b>.') && read.includes('/place/memorial-jk'), read);
}));

/** The code in a mail. */
const codeOf = (mail) => mail.text.match(/\b[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}\b/)[0];

/** Signs in with the code that is mailed. */
async function signIn(page, email) {
  await page.goto('/conta');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Mandar o código' }).click();
  const mail = await service.letter(email, /entrar/);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Código').fill(codeOf(mail));
  await page.getByRole('button', { name: 'Entrar', exact: true }).click();
  await page.getByRole('heading', { name: 'Minha conta' }).waitFor();
}

/** Fails unless a page of an account fits every width, with large letters too, and axe has nothing to say. */
async function sound(page) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await faults(page), [], `${page.url()}, ${colorScheme}`);
  }
  const size = page.viewportSize();
  for (const [width, zoom] of [[320, '100%'], [390, '200%'], [768, '100%'], [1440, '100%']]) {
    await page.setViewportSize({ width, height: 700 });
    const needed = await page.evaluate((zoomed) => {
      document.documentElement.style.fontSize = zoomed;
      return document.documentElement.scrollWidth;
    }, zoom);
    assert.ok(needed <= width, `${page.url()} is ${needed} wide on ${width} at ${zoom}`);
  }
  await page.evaluate(() => { document.documentElement.style.fontSize = ''; });
  await page.setViewportSize(size);
}

test('from sign-up to a cancelled plan, without a terminal', () => visiting({}, async (page) => {
  const email = 'ana@exemplo.com.br';
  await page.goto('/signup');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Receber a chave' }).click();
  const welcome = await service.letter(email, /sua chave/);
  const key = welcome.text.match(/cdg_live_[0-9A-Za-z]{38}/)[0];

  // the mail as its reader sees it: it loads nothing, shows the key and leads to the account
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto('about:blank');
  asked.length = 0;
  await page.setContent(welcome.html);
  assert.ok(await page.getByText(key, { exact: true }).first().isVisible());
  assert.deepEqual(asked.filter((url) => url.startsWith('http')), [], 'it loads nothing');
  assert.deepEqual(await faults(page).then((all) => all.filter((fault) => !/^(region|landmark|page-has-heading)/.test(fault))), []);
  await page.locator(`a[href="${service.base}/conta"]`).first().click();
  await page.getByRole('heading', { name: 'Entre na sua conta' }).waitFor();

  await signIn(page, email);
  await sound(page);
  await page.getByRole('link', { name: 'Mudar de plano' }).click();
  await sound(page);
  await page.getByRole('radio', { name: /Gringo/ }).check();
  await page.getByLabel('CPF ou CNPJ').fill(CPF);
  await page.getByRole('button', { name: 'Ir para o pagamento' }).click();
  await page.waitForURL(/\/sandbox\//);
  await page.getByRole('button', { name: 'Pagar' }).click();
  await page.getByText('Pagamento confirmado').waitFor();
  const begun = Date.now();
  while ((await service.ask(key, { action: 'summary' })).plan !== 'gringo') assert.ok(Date.now() - begun < 10_000, 'the plan is on');
  await service.ask(key, { action: 'search_places', q: 'boteco' });

  await page.goto('/conta');
  await page.getByText('Gringo').first().waitFor();
  assert.ok(Number(await page.getByRole('progressbar', { name: 'Este mês' }).getAttribute('value')) >= 1);
  assert.ok(await page.getByRole('progressbar', { name: 'search_places' }).isVisible());
  assert.ok(await page.getByRole('cell', { name: 'Pago' }).isVisible());
  await sound(page);

  await page.getByRole('link', { name: 'Nova chave' }).click();
  await sound(page);
  await page.getByRole('button', { name: 'Trocar a chave agora' }).click();
  const fresh = (await page.locator('#new-key').textContent()).trim();
  await sound(page);
  assert.equal((await service.ask(key, { action: 'summary' })).code, 'invalid_key');
  assert.equal((await service.ask(fresh, { action: 'summary' })).plan, 'gringo');
  // the page sends its form again when it is loaded again, and the key that was copied stays
  await page.reload();
  await page.getByRole('heading', { name: 'Isto já foi feito' }).waitFor();
  await sound(page);
  assert.equal((await service.ask(fresh, { action: 'summary' })).plan, 'gringo');

  await page.goto('/conta');
  await page.getByRole('link', { name: 'Meus dados' }).click();
  await sound(page);
  for (const path of ['/conta/navegador', '/conta/avisos', '/conta/calendarios', '/conta/email']) {
    assert.equal((await page.goto(path)).status(), 200, path);
    await sound(page);
  }
  await page.goto('/conta/cancelar');
  await sound(page);
  await page.getByText(/continua ativo até \d\d\/\d\d\/\d{4}/).waitFor();
  await page.getByRole('button', { name: 'Confirmar o cancelamento' }).click();
  await page.goto('/conta');
  await page.getByText('Cancelada').waitFor();
  assert.equal((await service.ask(fresh, { action: 'summary' })).plan, 'gringo', 'what is paid stays');
  await page.goto('/conta/excluir');
  await sound(page);
}));

test('a lost key is replaced', () => visiting({}, async (page) => {
  const email = 'rui@exemplo.com.br';
  await page.goto('/signup');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Receber a chave' }).click();
  const lost = (await service.letter(email, /sua chave/)).text.match(/cdg_live_[0-9A-Za-z]{38}/)[0];
  await page.goto('/conta');
  await page.getByRole('link', { name: 'Perdeu a chave?' }).click();
  await page.locator('#email').fill(email);
  await page.getByRole('button', { name: 'Mandar o código' }).click();
  const code = codeOf(await service.letter(email, /código para uma nova chave/));
  assert.equal((await service.ask(lost, { action: 'summary' })).plan, 'free', 'until the code is used the old key works');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Código').fill(code);
  await page.getByRole('button', { name: 'Trocar a chave agora' }).click();
  const fresh = (await page.locator('#new-key').textContent()).trim();
  assert.equal((await service.ask(lost, { action: 'summary' })).code, 'invalid_key');
  assert.equal((await service.ask(fresh, { action: 'summary' })).plan, 'free');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('.code:has(#new-key)').getByRole('button', { name: 'Copiar' }).click();
  await page.getByRole('button', { name: 'Copiado' }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), fresh);
}));
