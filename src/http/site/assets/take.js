// Everything works without this: it remembers the list of the visitor in the browser.
const changed = () => document.dispatchEvent(new Event('list'));
const kept = () => { try { return JSON.parse(localStorage.getItem('list')) || []; } catch { return []; } };
const keep = list => { try { localStorage.setItem('list', JSON.stringify(list.slice(0, 40))); } catch { /* not kept */ } };
for (const link of document.querySelectorAll('[data-keep]')) {
  const one = link.dataset.keep;
  const button = document.createElement('button');
  const show = () => {
    const has = kept().includes(one);
    button.textContent = has ? link.dataset.kept : link.textContent;
    button.setAttribute('aria-pressed', has);
  };
  button.type = 'button';
  button.addEventListener('click', () => {
    const rest = kept().filter(other => other !== one);
    keep(rest.length < kept().length ? rest : [one, ...rest]);
    show();
    changed();
  });
  show();
  // where nothing can be kept, the link still leads to a list of its own
  keep(kept());
  if (localStorage.getItem('list') !== null) link.replaceWith(button);
}
// the list without an address is the one that this browser keeps
if (document.querySelector('[data-list]') && kept().length) location.replace(`?i=${kept().join(',')}`);
for (const link of document.querySelectorAll('[data-remove]')) {
  link.addEventListener('click', () => keep(kept().filter(one => !link.dataset.remove.split(',').includes(one))));
}
