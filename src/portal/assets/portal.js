// Progressive enhancement: every page works without this script.

// Copy buttons: copy the text of an element and confirm briefly.
for (const button of document.querySelectorAll('button[data-copy]')) {
  const label = button.textContent;
  let timer;
  button.hidden = false;
  button.addEventListener('click', async () => {
    button.textContent = await copy(document.getElementById(button.dataset.copy));
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = label;
    }, 1_500);
  });
}

async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return 'Copied';
  } catch {
    // Browsers block clipboard access without HTTPS, so select the text for copying.
    getSelection().selectAllChildren(source);
    return 'Selected';
  }
}

// Sends a form only once, even if its button is pressed repeatedly.
document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = 'yes';
});

// Allows sending a form again after navigating back.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});
