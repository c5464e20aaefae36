// The site in a browser: with a mouse, with a keyboard, without scripts, on a phone, in dark mode, in both languages.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HtmlValidate } from 'html-validate';
import { faults, serve, start } from './service.js';

const CPF = '52998224725';

const { service, visiting } = await serve();

/** The paths of every kind of page, in both languages. */
async function everyPage() {
  const sitemap = await (await fetch(`${service.base}/sitemap.xml`)).text();
  const series = sitemap.match(/<loc>[^<]*?(\/event\/[^<]+)<\/loc>/)[1];
  const dates = await (await fetch(`${service.base}${series}`)).text();
  const event = dates.match(/"(\/event\/[^"]+-\d{4}-\d\d-\d\d)"/)[1];
  const [, day] = event.match(/(\d{4}-\d\d-\d\d)$/);
  const reference = await (await fetch(`${service.base}/api`)).text();
  const actions = await (await fetch(`${service.base}/api/post-v1`)).text();
  const operations = [...new Set([...reference.matchAll(/"(\/api\/[a-z0-9-]+)"/g), ...actions.matchAll(/"(\/api\/[a-z0-9-]+)"/g)].map(([, path]) => path))];
  const paths = [
    '/', '/?q=samba', '/?when=week&kind=events', '/?q=museu&category=jazz', '/?region=asa+torta', '/?q=sushu',
    '/?q=taguatinga', '/?kind=places', '/hoje', '/hoje?area=asa-norte', '/amanha', '/fim-de-semana', '/proximo-fim-de-semana', '/mapa', '/lista?i=choro-no-eixo', `/dia/${day}`, `/agenda/${day.slice(0, 7)}`,
    '/area', '/categoria', '/area/plano-piloto', '/area/asa-norte', '/area/asa-norte?page=2', '/area/asa-norte/boteco', '/categoria/gastronomia', '/categoria/choro',
    '/place/memorial-jk', series, event, `${event.slice(0, -10)}2020-01-05`, '/plans', '/plans?plan=gringo', '/signup', '/signup/sent', '/agents', '/conta', '/conta?to=cancel', '/conta/codigo', '/conta/recuperar', '/conta/pago', '/sobre', '/sugerir', '/sugerir?about=/place/memorial-jk', '/sugerir/sent', '/sexta', '/sexta/sent', '/sexta/confirm', '/sexta/confirm?r=rdr_0000000000000000', '/sexta/stop?r=rdr_0000000000000000', '/privacidade', '/termos', '/contato', '/docs', '/docs/errors', '/docs/try', '/docs/try?q=samba&kind=places', '/changelog', '/status', '/api', '/nothing/here', ...operations,
  ];
  // the reference of an operation is the same in both languages but for the words around it
  return [...paths, ...paths.filter((path) => !operations.slice(1).includes(path)).map(english)];
}

/** The English page of a Portuguese one. */
function english(path) {
  const words = { hoje: 'today', amanha: 'tomorrow', 'fim-de-semana': 'weekend', dia: 'day', agenda: 'calendar', categoria: 'category', conta: 'account', mapa: 'map', lista: 'list', 'proximo-fim-de-semana': 'next-weekend', sobre: 'about', sugerir: 'suggest', sexta: 'friday', privacidade: 'privacy', termos: 'terms', contato: 'contact' };
  const account = { codigo: 'code', recuperar: 'recover', pago: 'paid' };
  const own = path.replace(/^\/([a-z-]+)/, (whole, first) => `/${words[first] ?? first}`)
    .replace(/^\/account\/(\w+)/, (whole, second) => `/account/${account[second]}`);
  return own.replace(/^\/(\?|$)/, '/en$1').replace(/^\/(?!en(?![a-z]))/, '/en/');
}

/** Signs up with the form and returns the key in the mail. */
async function signedUp(page, email) {
  await page.goto('/signup');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Receber a chave' }).click();
  await page.getByRole('heading', { name: 'Confira seu e-mail' }).waitFor();
  const mail = await service.letter(email, /sua chave/);
  return mail.text.match(/cdg_live_[0-9A-Za-z]{38}/)[0];
}

test('a search leads to a record', () => visiting({}, async (page) => {
  await page.goto('/');
  await page.getByLabel('O que você procura').fill('museu');
  // what is suggested lies over the form
  await page.locator('.completions a').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('radio', { name: 'Lugares' }).check();
  await page.getByText('Quando, onde e categoria').click();
  await page.getByLabel('Onde').selectOption('Praça do Cruzeiro');
  await page.getByRole('button', { name: 'Buscar' }).click();
  assert.match(await page.getByRole('status').textContent(), /resultado/);
  const asked = new URL(page.url()).searchParams;
  assert.deepEqual([...asked], [['q', 'museu'], ['kind', 'places'], ['region', 'Praça do Cruzeiro']], 'nothing empty is sent');
  await page.getByRole('link', { name: 'Memorial JK' }).click();
  assert.equal(new URL(page.url()).pathname, '/place/memorial-jk');
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Memorial JK');
  const thing = JSON.parse(await page.locator('script[type="application/ld+json"]').first().textContent());
  assert.deepEqual([thing['@type'], thing.name, thing.url], ['Museum', 'Memorial JK', `${service.base}/place/memorial-jk`]);
  assert.equal(await page.locator('link[rel=canonical]').getAttribute('href'), `${service.base}/place/memorial-jk`);
  await page.getByRole('link', { name: 'EN', exact: true }).click();
  assert.equal(new URL(page.url()).pathname, '/en/place/memorial-jk');
  assert.equal(await page.locator('html').getAttribute('lang'), 'en');
}));

test('what is being typed leads to its page', () => visiting({}, async (page) => {
  await page.goto('/');
  const field = page.getByLabel('O que você procura');
  const links = page.locator('.completions a');
  await field.pressSequentially('memorial j');
  await links.first().waitFor();
  assert.deepEqual(await faults(page), []);
  // said to who does not see the list
  const told = page.getByRole('status');
  assert.match(await told.textContent(), new RegExp(`^${await links.count()} sugest(ão|ões), seta para baixo$`));
  await field.press('Escape');
  assert.equal(await links.count(), 0);
  assert.equal(await told.textContent(), '');
  await field.pressSequentially('k');
  await links.filter({ hasText: 'Memorial JK' }).waitFor();
  await field.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/place\/memorial-jk$/);
  // in English too
  await page.goto('/en');
  await page.getByLabel('What you are looking for').pressSequentially('asa');
  await links.filter({ hasText: 'Asa Norte' }).first().waitFor();
  assert.match(await links.first().getAttribute('href'), /^\/en\//);
  assert.match(await told.textContent(), /suggestions?, arrow down$/);
  // a list over the form, which goes when the field is left
  await page.getByRole('heading', { level: 1 }).click();
  assert.equal(await links.count(), 0);
  await page.getByRole('radio', { name: 'Places' }).check();
  await page.getByRole('button', { name: 'Search' }).click();
  await page.waitForURL(/q=asa&kind=places/);
}));

test('suggestions are a short list over the form, which moves nothing', () =>
  visiting({ viewport: { width: 390, height: 844 }, hasTouch: true }, async (page) => {
    await page.goto('/');
    const button = page.getByRole('button', { name: 'Buscar' });
    const before = await button.boundingBox();
    await page.getByLabel('O que você procura').pressSequentially('museu');
    const items = page.locator('.completions li');
    await items.nth(4).waitFor();
    assert.deepEqual(await button.boundingBox(), before);
    // at one moment: the list changes with each letter
    const [list, rows] = await page.evaluate(() => {
      const box = (part) => part.getBoundingClientRect().toJSON();
      const list = document.querySelector('.completions');
      return [box(list), [...list.querySelectorAll('li')].map(box)];
    });
    assert.ok(rows.every(({ x, width, height }) => x >= list.x && width > 300 && height >= 40), 'a row each');
    assert.ok(rows.every(({ y }, at) => !at || y > rows[at - 1].y), 'one below the other');
    assert.ok(list.height <= 6 * rows[0].height, `${list.height} is some five rows`);
    assert.deepEqual(await faults(page), []);
  }));

test('a search without results offers a wider one that has some', () => visiting({}, async (page) => {
  await page.goto('/?q=museu&category=jazz');
  await page.getByRole('link', { name: /de qualquer categoria/ }).click();
  assert.match(await page.getByRole('status').textContent(), /^\d+ resultados/);
  assert.equal(await page.getByLabel('Categoria').inputValue(), '');
}));

test('an unknown area is answered with known ones', () => visiting({}, async (page) => {
  const answer = await page.goto('/en?region=asa+torta');
  assert.equal(answer.status(), 400);
  assert.match(await page.getByRole('alert').textContent(), /We do not know that area/);
  await page.getByRole('link', { name: 'Asa Norte' }).click();
  assert.equal(new URL(page.url()).pathname, '/en/area/asa-norte');
}));

test('from sign-up through the mail and the sandbox to a plan that works', () => visiting({ locale: 'pt-BR' }, async (page) => {
  const key = await signedUp(page, 'maria@exemplo.com.br');
  assert.equal((await service.ask(key, { action: 'summary' })).plan, 'free');
  await page.goto('/plans');
  await page.getByRole('link', { name: 'Assinar o plano Gringo' }).click();
  assert.equal(await page.getByRole('radio', { name: /Gringo/ }).isChecked(), true);
  await page.getByRole('radio', { name: /Pro/ }).check();
  await page.getByLabel('Sua chave').fill(key);
  await page.getByLabel('CPF ou CNPJ').fill('11111111111');
  await page.getByRole('button', { name: 'Ir para o pagamento' }).click();
  assert.match(await page.getByRole('alert').textContent(), /CPF ou CNPJ válido\. Digite de novo/);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tax_id', 'the wrong field has the focus');
  const content = await page.content();
  assert.ok(!content.includes(key) && !content.includes('11111111111'), 'neither key nor number is sent back');
  assert.ok(!page.url().includes('cdg_live'), 'no key in an address');
  await page.getByLabel('Sua chave').fill(key);
  await page.getByLabel('CPF ou CNPJ').fill(CPF);
  await page.getByRole('button', { name: 'Ir para o pagamento' }).click();
  await page.waitForURL(/\/sandbox\//);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    assert.deepEqual(await faults(page), [], `sandbox, ${colorScheme}`);
  }
  await page.getByRole('button', { name: 'Pagar' }).click();
  await page.getByText('Pagamento confirmado').waitFor();
  const begun = Date.now();
  while ((await service.ask(key, { action: 'summary' })).plan !== 'pro') assert.ok(Date.now() - begun < 10_000, 'the plan is on');
}));

test('a wrong key and a wrong address are shown beside their fields', () => visiting({}, async (page) => {
  await page.goto('/en/plans');
  assert.equal(await page.getByRole('radio', { checked: true }).count(), 0, 'nobody is sold a plan that they did not choose');
  await page.getByRole('radio', { name: /Pro/ }).check();
  await page.getByLabel('Your key').fill('cdg_live_wrong');
  await page.getByLabel('CPF or CNPJ').fill(CPF);
  await page.getByLabel('Name on the bill').fill('Maria <b>');
  await page.getByRole('button', { name: 'Go to payment' }).click();
  assert.match(await page.getByRole('alert').textContent(), /key is not valid/);
  assert.equal(await page.getByLabel('Name on the bill').inputValue(), 'Maria <b>');
  assert.equal(await page.getByLabel('Your key').inputValue(), '');
  assert.deepEqual(await faults(page), []);
  await page.goto('/en/signup');
  await page.getByLabel('E-mail').fill('maria@example');
  await page.getByRole('button', { name: 'Send me the key' }).click();
  const described = await page.getByLabel('E-mail').getAttribute('aria-describedby');
  assert.match(await page.locator(`#${described.split(' ')[0]}`).textContent(), /complete e-mail/);
  assert.deepEqual(await faults(page), []);
}));

test('the keyboard is enough', () => visiting({}, async (page) => {
  await page.goto('/');
  const focused = () => page.evaluate(() => {
    const { textContent, id } = document.activeElement;
    const { outlineStyle } = getComputedStyle(document.activeElement);
    return { text: textContent.trim(), id, outlined: outlineStyle !== 'none' };
  });
  await page.keyboard.press('Tab');
  assert.equal((await focused()).text, 'Pular para o conteúdo');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal((await focused()).id, 'q');
  assert.ok((await focused()).outlined);
  await page.keyboard.type('museu');
  // what is suggested stands between the field and the button
  await page.locator('.completions a').first().waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  assert.equal((await focused()).text, 'Buscar');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.equal((await focused()).id, 'kind-places');
  await page.keyboard.press('Enter');
  await page.waitForURL(/q=museu/);
  for (let tabs = 0; tabs < 40; tabs += 1) {
    await page.keyboard.press('Tab');
    const href = await page.evaluate(() => document.activeElement.getAttribute('href') ?? '');
    if (href.startsWith('/place/')) break;
  }
  assert.ok((await focused()).outlined);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/place\//);
}));

test('the first result of a search is on the first screen of a phone', () =>
  visiting({ viewport: { width: 390, height: 844 } }, async (page) => {
    for (const path of ['/?q=bar&region=Asa+Norte&kind=places', '/?q=choro', '/en?q=museum&kind=places', '/?q=natal',
      '/?q=onde+tem+samba+ao+vivo+hoje+de+noite+perto+da+Asa+Norte+com+estacionamento',
      '/en?q=quiet+vegetarian+restaurant+with+parking+near+408+Norte+open+now']) {
      await page.goto(path);
      const top = await page.evaluate(() => document.querySelector('.agenda li, .places li').getBoundingClientRect().top);
      assert.ok(top <= 320, `${path}: the first result is ${top} from the top`);
    }
  }));

test('the front page of a phone begins with what is on', () =>
  visiting({ viewport: { width: 390, height: 844 } }, async (page) => {
    for (const path of ['/', '/en']) {
      await page.goto(path);
      const tops = await page.evaluate(() => ['.part h2', '.part .agenda li, .part .places li, .part .begun']
        .map((part) => document.querySelector(part).getBoundingClientRect().top));
      assert.ok(tops[0] <= 520 && tops[1] <= 700, `${path}: ${tops}`);
      const { width } = await page.locator('.search button').boundingBox();
      const [field, button] = [await page.locator('#q').boundingBox(), await page.locator('.search button').boundingBox()];
      assert.ok(width > 0 && Math.abs(field.y - button.y) < 4, 'the search is one line');
    }
  }));

test('from the front page to an evening, a series and its next date', () => visiting({ javaScriptEnabled: false }, async (page) => {
  await page.goto('/');
  assert.ok(await page.getByRole('heading', { level: 2, name: 'Hoje à noite' }).isVisible());
  await page.getByRole('link', { name: 'Fim de semana' }).first().click();
  await page.getByRole('link', { name: 'Choro no Eixo' }).first().click();
  await page.getByRole('link', { name: 'Todas as datas' }).click();
  assert.equal(new URL(page.url()).pathname, '/event/choro-no-eixo');
  await page.getByText('Todo domingo, 12h').waitFor();
  await page.getByRole('link', { name: 'Asa Norte', exact: true }).first().click();
  await page.getByRole('link', { name: 'Próxima página' }).click();
  assert.equal(new URL(page.url()).search, '?page=2');
}));

test('scripts are not needed', () => visiting({ javaScriptEnabled: false }, async (page) => {
  await page.goto('/en');
  await page.getByLabel('What you are looking for').fill('sushi');
  await page.getByRole('button', { name: 'Search' }).click();
  assert.match(await page.getByRole('status').textContent(), /results?/);
  await page.goto('/signup');
  await page.getByLabel('E-mail').fill('joana@exemplo.com.br');
  await page.getByRole('button', { name: 'Receber a chave' }).click();
  await page.getByRole('heading', { name: 'Confira seu e-mail' }).waitFor();
  const mail = await service.letter('joana@exemplo.com.br', /sua chave/);
  assert.match(mail.text, /cdg_live_/);
}));

test('the form asks for a day only where there are events', () => visiting({}, async (page) => {
  await page.goto('/?kind=places');
  await page.getByText('mudar').click();
  assert.equal(await page.getByLabel('Quando').isVisible(), false);
  await page.getByRole('radio', { name: 'Eventos' }).check();
  assert.equal(await page.getByLabel('Quando').isVisible(), true);
}));

// two at a time, one for each processor that checks have
describe('every page', { concurrency: 2 }, () => {
  test('is valid HTML', async () => {
    const validator = new HtmlValidate({ root: true, extends: ['html-validate:recommended'] });
    const findings = [];
    for (const path of await everyPage()) {
      const answer = await fetch(`${service.base}${path}`, { headers: { accept: 'text/html' } });
      const { results } = await validator.validateString(await answer.text(), path);
      for (const { ruleId, message, line, column } of results.flatMap((result) => result.messages)) {
        findings.push(`${path}:${line}:${column} ${ruleId}: ${message}`);
      }
    }
    assert.deepEqual(findings, []);
  });

  test('passes axe in light and dark mode', async () => {
    // nothing but colours differs in dark mode
    const colours = { runOnly: ['color-contrast'] };
    for (const [colorScheme, options] of [['light', {}], ['dark', colours]]) {
      await visiting({ colorScheme }, async (page) => {
        for (const path of await everyPage()) {
          await page.goto(path);
          await page.evaluate(() => document.querySelectorAll('details').forEach((part) => { part.open = true; }));
          assert.deepEqual(await faults(page, options), [], `${path}, ${colorScheme}`);
        }
      });
    }
  });

  test('fits the narrowest phone, with targets of at least 40 pixels', () =>
    visiting({ viewport: { width: 320, height: 640 }, hasTouch: true }, async (page) => {
      for (const path of await everyPage()) {
        await page.goto(path);
        for (const width of [360, 768, 1024, 1440]) {
          await page.setViewportSize({ width, height: 640 });
          const needed = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(needed <= width, `${path} is ${needed} wide on ${width}`);
        }
        await page.setViewportSize({ width: 320, height: 640 });
        const { wide, small } = await page.evaluate(() => ({
          wide: document.documentElement.scrollWidth,
          small: [...document.querySelectorAll('nav a, button, .button, .chips a, select, input:not([type=radio]), textarea')]
            .filter((target) => !target.closest('.unseen') && target.offsetHeight > 0 && target.offsetHeight < 40)
            .map((target) => target.outerHTML),
        }));
        assert.ok(wide <= 320, `${path} is ${wide} wide`);
        await page.setViewportSize({ width: 390, height: 640 });
        const zoomed = await page.evaluate(() => {
          document.documentElement.style.fontSize = '200%';
          return document.documentElement.scrollWidth;
        });
        assert.ok(zoomed <= 390, `${path} is ${zoomed} wide on 390 with texts of twice the size`);
        assert.deepEqual(small, [], path);
      }
    }));

  test('does not move while it loads, nor lets large letters out of a narrow window', async () => {
    for (const width of [320, 1280]) {
      await visiting({ viewport: { width, height: 800 } }, async (page) => {
        await page.addInitScript(() => {
          globalThis.shifts = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) globalThis.shifts += entry.value;
          }).observe({ type: 'layout-shift', buffered: true });
        });
        const findings = [];
        for (const path of await everyPage()) {
          // on a busy machine a page may be painted before all of it has arrived, which no layout can help
          let shifts = Infinity;
          for (let tries = 0; tries < 3 && shifts > 0; tries += 1) {
            await page.goto(path, { waitUntil: 'load' });
            const moved = await page.evaluate(() => new Promise((resolve) => {
              requestAnimationFrame(() => requestAnimationFrame(() => resolve(globalThis.shifts)));
            }));
            shifts = Math.min(shifts, moved);
          }
          if (shifts > 0) findings.push(`${path} moves by ${shifts} on ${width}`);
          const wide = await page.evaluate(() => {
            document.documentElement.style.fontSize = '200%';
            const room = document.documentElement.clientWidth;
            const scrolls = (part) => part && (/auto|scroll|hidden|clip/.test(getComputedStyle(part).overflowX) || scrolls(part.parentElement));
            const needed = document.documentElement.scrollWidth;
            const out = [...document.querySelectorAll('body *')].filter((part) => part.getBoundingClientRect().right > room + 1 && !scrolls(part));
            return needed > room ? `${needed}: ${out[0]?.outerHTML.slice(0, 120)}` : '';
          });
          if (wide) findings.push(`${path} on ${width} with large letters: ${wide}`);
        }
        assert.deepEqual(findings, []);
      });
    }
  });

  test('is light, loads nothing from other hosts, and logs nothing', () => visiting({}, async (page) => {
    const logged = [];
    page.on('console', (message) => logged.push(message.text()));
    page.on('pageerror', (error) => logged.push(error.message));
    for (const path of await everyPage()) {
      const asked = [];
      const listen = (response) => asked.push(response);
      page.on('response', listen);
      await page.goto(path, { waitUntil: 'networkidle' });
      page.off('response', listen);
      // the browser may have dropped a body by now: it is asked for again
      const again = async (response) => (await page.request.get(response.url())).body();
      const body = (response) => response.body().catch(() => again(response));
      const sizes = await Promise.all(asked.map(async (response) => (await body(response)).length));
      const weight = sizes.reduce((sum, size) => sum + size, 0);
      assert.ok(weight < 100_000, `${path} weighs ${weight}`);
      for (const response of asked) assert.ok(response.url().startsWith(service.base), response.url());
    }
    // browsers log responses of 400 and 404 themselves
    const ours = logged.filter((text) => !/status of (400|404)/.test(text));
    assert.deepEqual(ours, []);
  }));
});

test('the navigation is one row on a phone, whatever is kept', async () => {
  for (const kept of [[], ['choro-no-eixo'], Array.from({ length: 40 }, (_, at) => `place-${at}`)]) {
    for (const width of [360, 390]) {
      await visiting({ viewport: { width, height: 800 } }, async (page) => {
        await page.addInitScript((list) => localStorage.setItem('list', JSON.stringify(list)), kept);
        for (const path of ['/', '/hoje', '/en', '/en/today']) {
          await page.goto(path);
          const links = page.locator('.ways a');
          const tops = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().top));
          assert.equal(new Set(tops).size, 1, `${path} with ${kept.length} kept on ${width}: ${tops}`);
          assert.equal(await page.locator('.ways .count').textContent(), kept.length ? `${kept.length}` : '');
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
        }
      });
    }
  }
});

test('pages without a form lead to the search', async () => {
  await visiting({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false }, async (page) => {
    await page.goto('/hoje');
    await page.getByRole('link', { name: 'Buscar' }).first().click();
    assert.equal(new URL(page.url()).hash, '#q');
    // a page is focused a moment after its address is there
    await page.locator('#q:focus').waitFor();
    await page.keyboard.type('museu');
    assert.equal(await page.getByLabel('O que você procura').inputValue(), 'museu');
  });
  await visiting({ viewport: { width: 1280, height: 800 }, javaScriptEnabled: false }, async (page) => {
    await page.goto('/en/place/memorial-jk');
    await page.getByRole('searchbox').fill('samba');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/en\?q=samba$/);
  });
});

test('a page is shared where scripts can do it', async () => {
  for (const path of ['/place/memorial-jk', '/event/choro-no-eixo', '/lista?i=memorial-jk']) {
    await visiting({ javaScriptEnabled: false }, async (page) => {
      await page.goto(path);
      assert.equal(await page.locator('[data-share]').isVisible(), false, path);
    });
    await visiting({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await page.goto(path);
      await page.getByRole('button', { name: 'Copiar link' }).click();
      await page.getByRole('button', { name: 'Link copiado' }).waitFor();
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${service.base}${path}`);
    });
    await visiting({}, async (page) => {
      await page.addInitScript(() => { navigator.share = async ({ url }) => { globalThis.shared = url; }; });
      await page.goto(path);
      await page.getByRole('button', { name: 'Compartilhar' }).click();
      assert.equal(await page.evaluate(() => globalThis.shared), `${service.base}${path}`);
    });
  }
});

test('letters of twice the size crush no name, hide no day and leave room below the header', () =>
  visiting({ viewport: { width: 390, height: 844 } }, async (page) => {
    const month = new Date(Date.now() + 31 * 86_400_000).toISOString().slice(0, 7);
    for (const path of ['/', '/categoria/gastronomia', '/area/asa-norte', '/place/memorial-jk', '/hoje', '/en/category/gastronomia', `/agenda/${month}`, `/en/calendar/${month}`]) {
      await page.goto(path);
      const { names, header, days } = await page.evaluate(() => {
        document.documentElement.style.fontSize = '200%';
        const box = (part) => part.getBoundingClientRect();
        return {
          // a letter is half as wide as it is high
          names: [...document.querySelectorAll('.what :is(h3, h4)')].map((name) => box(name).width / parseFloat(getComputedStyle(name).fontSize) * 2),
          header: box(document.querySelector('.top')).height,
          days: [...document.querySelectorAll('ol.month li')].map((day) => ({ left: box(day).left, right: box(day).right, text: day.innerText })),
        };
      });
      assert.ok(names.length > 0 && Math.min(...names) >= 8, `${path}: a name has room for ${Math.min(...names)} letters`);
      assert.ok(header <= 844 / 3, `${path}: the header is ${header} high`);
      if (!path.includes(month)) continue;
      assert.ok(days.length >= 28, path);
      for (const { left, right, text } of days) assert.ok(left >= 0 && right <= 390 && /^[a-zá]{3}\s+\d+/i.test(text), `${path}: ${text} from ${left} to ${right}`);
    }
  }));

test('a search beyond the limits says when to come back', async () => {
  const limited = await start(['site_searches.per_minute=1']);
  try {
    await visiting({ baseURL: limited.base }, async (page) => {
      await page.goto('/?q=samba');
      const answer = await page.goto('/?q=jazz');
      assert.equal(answer.status(), 429);
      assert.match(answer.headers()['retry-after'], /^\d+$/);
      assert.match(await page.getByRole('alert').textContent(), /Busque de novo em/);
      assert.deepEqual(await faults(page), []);
      assert.equal((await page.goto('/')).status(), 200, 'the front page does not count as a search');
    });
  } finally {
    await limited.stop();
  }
});
