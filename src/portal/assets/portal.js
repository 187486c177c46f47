// Comfort only: every page works without it.

// Buttons that copy the text of the element they name, and say for a moment that they did.
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
    // Browsers keep the clipboard from pages without https: the text is selected for the person to copy.
    getSelection().selectAllChildren(source);
    return 'Selected';
  }
}

// A form is sent once, however often its button is pressed.
document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = 'yes';
});

// Coming back by the browser's Back button shows the form ready to be sent again.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});
