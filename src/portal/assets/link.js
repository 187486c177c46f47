// Opens an emailed link. Browsers don't send the fragment, so its secret is in no server's log: it is posted instead.
const field = document.getElementById('secret');

function openLink() {
  if (!/^#[\w-]{43}$/.test(location.hash)) return;
  field.value = location.hash.slice(1);
  // Not in the history of the browser either.
  history.replaceState(null, '', location.pathname);
  field.form.requestSubmit();
}

openLink();
// Pasting another link into the address bar of this page doesn't reload it.
addEventListener('hashchange', openLink);
