// Everything works without this: it remembers the list of the visitor in the browser, and shares a page.
const most = 40;
const kept = () => { try { return JSON.parse(localStorage.getItem('list')) || []; } catch { return []; } };
// whether the browser keeps it
const keep = list => {
  try { localStorage.setItem('list', JSON.stringify(list.slice(0, most))); } catch { return false; }
  dispatchEvent(new Event('list'));
  return true;
};
for (const link of document.querySelectorAll('[data-keep]')) {
  const one = link.dataset.keep;
  const others = () => kept().filter(other => other !== one);
  const button = document.createElement('button');
  const show = () => {
    const has = kept().includes(one);
    button.textContent = has ? link.dataset.kept : link.textContent;
    button.classList.toggle('kept', has);
  };
  button.type = 'button';
  button.addEventListener('click', () => {
    const list = kept().includes(one) ? others() : [one, ...others()];
    // a full list keeps what it has
    if (list.length > most) { button.textContent = link.dataset.full; return; }
    keep(list);
    show();
  });
  addEventListener('pageshow', show);
  show();
  // where nothing can be kept, the link leads to a list of its own
  if (keep(kept())) link.replaceWith(button);
}
for (const button of document.querySelectorAll('[data-share]')) {
  const { textContent: copy, dataset: { share, copied } } = button;
  const url = () => document.querySelector('link[rel=canonical]')?.href ?? location.href;
  if (navigator.share) {
    button.textContent = share;
    // who closes the dialogue has not failed
    button.addEventListener('click', () => navigator.share({ title: document.title, url: url() }).catch(() => {}));
  } else if (navigator.clipboard) {
    button.addEventListener('click', async () => {
      // where a browser refuses, the address is shown to be copied by hand
      try { await navigator.clipboard.writeText(url()); } catch { prompt(copy, url()); return; }
      button.textContent = copied;
      setTimeout(() => { button.textContent = copy; }, 2000);
    });
  } else {
    button.parentNode.remove();
  }
}
const title = document.querySelector('[data-listed]');
if (document.querySelector('[data-list]') && kept().length) {
  // the list without an address is the one that this browser keeps
  location.replace(`?i=${kept().join(',')}`);
} else if (title && keep(kept())) {
  const listed = title.dataset.listed.split(',').filter(Boolean);
  // what was just added to the own list with the form below it
  if (history.state !== 'own' && sessionStorage.getItem('join') && kept().every(one => listed.includes(one))) keep(listed);
  sessionStorage.removeItem('join');
  const own = kept();
  // going back or reloading after a change shows what the own list was
  const isOwn = history.state === 'own' || (listed.length === own.length && listed.every(one => own.includes(one)));
  const [before, name] = [title.textContent, isOwn ? title.dataset.own : title.dataset.shared];
  title.textContent = name;
  document.title = document.title.replace(before, name);
  if (isOwn) {
    history.replaceState('own', '');
    document.querySelector('.join').addEventListener('submit', () => sessionStorage.setItem('join', '1'));
    for (const link of document.querySelectorAll('[data-remove]')) {
      link.addEventListener('click', () => keep(kept().filter(one => !link.dataset.remove.split(',').includes(one))));
    }
  } else {
    const [button, item] = [document.createElement('button'), document.createElement('li')];
    Object.assign(button, { type: 'button', textContent: title.dataset.add });
    button.addEventListener('click', () => {
      const list = [...new Set([...kept(), ...listed])];
      if (list.length > most) { button.textContent = title.dataset.full; return; }
      keep(list);
      location.assign(`?i=${kept().join(',')}`);
    });
    item.append(button);
    document.querySelector('.list-ways')?.prepend(item);
    // what is changed is one's own
    document.querySelector('.change')?.remove();
  }
}
