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

// Code in several languages: the one that was chosen is shown on every page.
const LANGUAGE = 'forecourt-language';
const tabs = [...document.querySelectorAll('[data-tabs] input')];

function showLanguage(language) {
  for (const tab of tabs) if (tab.value === language) tab.checked = true;
}

for (const tab of tabs) {
  tab.addEventListener('change', () => {
    showLanguage(tab.value);
    try {
      localStorage.setItem(LANGUAGE, tab.value);
    } catch {
      // Without storage, the choice is for this page.
    }
  });
}
if (tabs.length > 0) showLanguage(storedLanguage());

function storedLanguage() {
  try {
    return localStorage.getItem(LANGUAGE);
  } catch {
    return null;
  }
}

// A link that also runs what it leads to: the console sends the request when it opens, and only then.
document.addEventListener('click', ({ target, ctrlKey, metaKey, shiftKey }) => {
  const link = target.closest('a[data-run]');
  if (!link || ctrlKey || metaKey || shiftKey) return;
  try {
    sessionStorage.setItem('forecourt-run', link.getAttribute('href'));
  } catch {
    // Without storage, the console shows the request and its button.
  }
});

// Sends a form only once, even if its button is pressed repeatedly.
document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = 'yes';
});

// After a logout, what the console keeps of its results is deleted.
document
  .querySelector('form[action="/logout"]')
  ?.addEventListener('submit', () => sessionStorage.removeItem('forecourt-console'));

// Allows sending a form again after navigating back.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});

// Keeps what was typed if the session has expired when a form is sent: after logging in, the page of the form fills it in again.
const DRAFT = 'forecourt-draft';
const DRAFT_MS = 3_600_000;
const LOGIN = ['/login', '/login/code', '/confirm'];
const SECRET = /password|secret|code|offer/;
const here = () => location.pathname + location.search;

function keepDraft({ target: form }) {
  const { account } = document.body.dataset;
  if (!account || form.method !== 'post' || LOGIN.includes(location.pathname)) return;
  const fields = [...new FormData(form)].filter(([name, value]) => !SECRET.test(name) && typeof value === 'string');
  store({ account, at: Date.now(), page: here(), action: form.getAttribute('action'), fields });
}

function restoreDraft() {
  const draft = stored();
  if (!draft) return;
  if (LOGIN.includes(location.pathname)) return store({ ...draft, isAfterLogin: true });
  sessionStorage.removeItem(DRAFT);
  const isOwn = draft.account === document.body.dataset.account && Date.now() - draft.at < DRAFT_MS;
  const form = [...document.forms].find((one) => one.getAttribute('action') === draft.action);
  if (!draft.isAfterLogin || !isOwn || !form || draft.page !== here()) return;
  for (const [name, value] of draft.fields) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLElement && field.type !== 'hidden' && !['checkbox', 'radio'].includes(field.type))
      field.value = value;
  }
  const note = document.createElement('p');
  note.className = 'notice';
  note.setAttribute('role', 'status');
  note.textContent =
    'Your session had expired, so the form was not sent. Your entries are below: check them and send it again.';
  form.before(note);
}

function store(draft) {
  try {
    sessionStorage.setItem(DRAFT, JSON.stringify(draft));
  } catch {
    // Without storage, entries are lost, and the form still works.
  }
}

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(DRAFT) ?? 'null');
  } catch {
    return null;
  }
}

document.addEventListener('submit', keepDraft);
restoreDraft();
