// Everything works without this: it copies code, keeps what was left empty out of addresses, counts the list of the visitor, and
// leads to what is being typed into the search field.
const count = () => {
  let length = 0;
  try { length = (JSON.parse(localStorage.getItem('list')) || []).length; } catch { /* no list */ }
  for (const place of document.querySelectorAll('.count')) place.textContent = length || '';
};
// also when another page has changed it, or this one is come back to
for (const event of ['list', 'storage', 'pageshow']) addEventListener(event, count);
const [copy, copied] = document.documentElement.lang === 'en' ? ['Copy', 'Copied'] : ['Copiar', 'Copiado'];
for (const block of navigator.clipboard ? document.querySelectorAll('.code') : []) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'copy', textContent: copy });
  button.addEventListener('click', async () => {
    const text = block.querySelector('pre');
    // where a browser refuses, the text is selected to be copied by hand
    try { await navigator.clipboard.writeText(text.textContent); } catch { getSelection().selectAllChildren(text); return; }
    button.textContent = copied;
    setTimeout(() => { button.textContent = copy; }, 2000);
  });
  block.append(button);
}
for (const form of document.querySelectorAll('form[data-lean]')) {
  form.addEventListener('formdata', ({ formData }) => {
    for (const [name, value] of [...formData]) if (!value) formData.delete(name);
  });
}
const field = document.querySelector('.search [name=q]');
if (field) {
  const path = document.documentElement.lang === 'en' ? '/en/complete' : '/completar';
  const list = document.createElement('ul');
  list.className = 'completions';
  field.after(list);
  const told = document.createElement('p');
  told.className = 'unseen';
  told.setAttribute('role', 'status');
  // what the list says without a look: how many there are, and how to come to them
  const tell = () => {
    const { length } = list.children;
    told.textContent = length ? `${length} ${length === 1 ? field.dataset.one : field.dataset.many}` : '';
  };
  // before anything is said in it, and not on pages where nothing is typed
  field.addEventListener('input', () => list.after(told), { once: true });
  const typed = () => field.value.trim();
  const show = async () => {
    const text = typed();
    const answer = text.length > 1 && await fetch(`${path}?q=${encodeURIComponent(text)}`).catch(() => null);
    const items = answer && answer.ok ? await answer.text() : '';
    // nothing that was typed before, nor under a field that was left
    if (text === typed() && field.parentNode.contains(document.activeElement)) {
      list.innerHTML = items;
      tell();
    }
  };
  let waiting;
  field.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 150);
  });
  // the list lies over what follows, so it goes when the field is left
  const leave = event => {
    if (field.parentNode.contains(event.target) || !list.firstChild) return;
    list.replaceChildren();
    tell();
  };
  for (const event of ['pointerdown', 'focusin']) addEventListener(event, leave);
  field.parentNode.addEventListener('keydown', event => {
    const stops = [field, ...list.querySelectorAll('a')];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step && stops[stops.indexOf(document.activeElement) + step];
    if (next) { event.preventDefault(); next.focus(); }
    if (event.key === 'Escape' && list.firstChild) {
      event.preventDefault();
      list.replaceChildren();
      tell();
      field.focus();
    }
  });
}
