// Everything works without this: it remembers the list of the visitor in the browser.
const kept = () => { try { return JSON.parse(localStorage.getItem('list')) || []; } catch { return []; } };
// whether the browser keeps it
const keep = list => {
  try { localStorage.setItem('list', JSON.stringify(list.slice(0, 40))); } catch { return false; }
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
    button.setAttribute('aria-pressed', has);
  };
  button.type = 'button';
  button.addEventListener('click', () => {
    keep(kept().includes(one) ? others() : [one, ...others()]);
    show();
  });
  addEventListener('pageshow', show);
  show();
  // where nothing can be kept, the link leads to a list of its own
  if (keep(kept())) link.replaceWith(button);
}
// the list without an address is the one that this browser keeps
if (document.querySelector('[data-list]') && kept().length) location.replace(`?i=${kept().join(',')}`);
for (const link of document.querySelectorAll('[data-remove]')) {
  link.addEventListener('click', () => keep(kept().filter(one => !link.dataset.remove.split(',').includes(one))));
}
