// The documentation: `/` focuses the search, which shows results while typing. Without this, its form leads to a page of results.

const input = document.getElementById('find');
const panel = document.getElementById('found');
const PAUSE_MS = 200;
const SHOWN = 8;
let timer;
let asked = 0;

document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select, [contenteditable]');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
  input.select();
});

input.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(find, PAUSE_MS);
});
input.form.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || panel.hidden) return;
  // A browser would empty the field.
  event.preventDefault();
  close();
  input.focus();
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('.find')) close();
});

function close() {
  asked += 1;
  clearTimeout(timer);
  panel.hidden = true;
}

async function find() {
  asked += 1;
  const mine = asked;
  const query = input.value.trim();
  if (query.length < 2) return close();
  const response = await fetch(`/docs/search?${new URLSearchParams({ q: query })}`).catch(() => undefined);
  // An answer that comes late, or none: the form still works.
  if (!response?.ok || mine !== asked) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (mine !== asked) return;
  const count = page.getElementById('result-count');
  const results = [...page.querySelectorAll('#results > li')].slice(0, SHOWN);
  const list = document.createElement('ol');
  list.append(...results.map((result) => document.importNode(result, true)));
  panel.replaceChildren(document.importNode(count, true), ...(results.length > 0 ? [list] : []));
  panel.querySelector('#result-count').removeAttribute('id');
  panel.hidden = false;
}

// Beside the page, the heading that is read is marked.
const links = new Map([...document.querySelectorAll('.here a')].map((link) => [link.hash.slice(1), link]));
const visible = new Set();
const watcher = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) visible[isIntersecting ? 'add' : 'delete'](target.id);
  const first = [...links.keys()].find((id) => visible.has(decodeURIComponent(id)));
  if (!first) return;
  for (const [id, link] of links) {
    if (id === first) link.setAttribute('aria-current', 'location');
    else link.removeAttribute('aria-current');
  }
});
for (const id of links.keys()) {
  const heading = document.getElementById(decodeURIComponent(id));
  if (heading) watcher.observe(heading);
}
