// Keeps the overview of operations up to date. Without this script, reload the page.

const live = document.getElementById('live');
const events = new EventSource('/ops/events');
events.addEventListener('message', ({ data }) => {
  // Keeps a link that has the focus.
  if (live.contains(document.activeElement)) return;
  live.innerHTML = data;
});
