// Everything works without this: it remembers the list of the visitor in the browser.
const kept = () => { try { return JSON.parse(localStorage.getItem('list')) || []; } catch { return []; } };
const keep = list => { try { localStorage.setItem('list', JSON.stringify(list.slice(0, 40))); } catch { /* not kept */ } };
for (const link of document.querySelectorAll('[data-keep]')) {
  link.addEventListener('click', () => {
    keep([...new Set([link.dataset.keep, ...kept()])]);
    link.search = `?i=${kept().join(',') || link.dataset.keep}`;
  });
}
// the list without an address is the one that this browser keeps
if (document.querySelector('[data-list]') && kept().length) location.replace(`?i=${kept().join(',')}`);
for (const link of document.querySelectorAll('[data-remove]')) {
  link.addEventListener('click', () => keep(kept().filter(one => !link.dataset.remove.split(',').includes(one))));
}
