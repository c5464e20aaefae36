// Everything works without this: it copies code, and keeps what was left empty out of addresses.
for (const button of document.querySelectorAll('.copy')) {
  if (!navigator.clipboard) break;
  const name = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = name; }, 2000);
  });
}
for (const form of document.querySelectorAll('form[data-lean]')) {
  form.addEventListener('formdata', ({ formData }) => {
    for (const [name, value] of [...formData]) if (!value) formData.delete(name);
  });
}
