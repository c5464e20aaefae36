// Everything works without this: it copies code, keeps what was left empty out of addresses, and counts the list of the visitor.
const count = () => {
  let length = 0;
  try { length = (JSON.parse(localStorage.getItem('list')) || []).length; } catch { /* no list */ }
  for (const place of document.querySelectorAll('.count')) place.textContent = length ? ` (${length})` : '';
};
// also when another page has changed it, or this one is come back to
for (const event of ['list', 'storage', 'pageshow']) addEventListener(event, count);
const [copy, copied] = document.documentElement.lang === 'en' ? ['Copy', 'Copied'] : ['Copiar', 'Copiado'];
for (const block of navigator.clipboard ? document.querySelectorAll('.code') : []) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'copy', textContent: copy });
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent);
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
