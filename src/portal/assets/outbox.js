// Keeps the list of emails up to date while someone can see it. Without this script, reload the page.

const EVERY_MS = 3_000;
const live = document.getElementById('live');
let timer;

async function refresh() {
  if (document.hidden) return;
  const response = await fetch(location.pathname).catch(() => undefined);
  // The gateway may start again; any other answer means that the page needs its link again.
  if (response && !response.ok && response.status < 500 && response.status !== 429) return stop();
  if (response?.ok) show(new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('live'));
}

/** Keeps a link that has the focus, and a text that is selected. */
function show(newest) {
  const isUsed = live.contains(document.activeElement) || getSelection().toString() !== '';
  if (isUsed || !newest || newest.innerHTML === live.innerHTML) return;
  live.replaceChildren(...newest.childNodes);
}

function start() {
  timer = setInterval(refresh, EVERY_MS);
}

function stop() {
  clearInterval(timer);
}

// Nothing is asked for a page that is hidden.
document.addEventListener('visibilitychange', () => {
  stop();
  if (document.hidden) return;
  start();
  refresh();
});
start();
