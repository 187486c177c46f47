// Keeps the events of a webhook endpoint up to date. Without this script, reload the page.

const live = document.getElementById('live');
const events = new EventSource(live.dataset.events);
events.addEventListener('message', ({ data }) => {
  // Keeps what the reader is using: a control that has the focus, and an open payload.
  if (live.contains(document.activeElement) || live.querySelector('details[open]')) return;
  live.innerHTML = data;
});
