// Live tail: keeps the newest requests up to date while it is on. Without this script, reload the page.

const live = document.getElementById('live');
const button = document.getElementById('tail');
const state = document.getElementById('tail-state');
let events;

function show({ data }) {
  // Keeps a link that has the focus.
  if (live.contains(document.activeElement)) return;
  live.innerHTML = data;
}

function set(isOn) {
  events?.close();
  events = undefined;
  if (isOn) {
    events = new EventSource(live.dataset.events);
    events.addEventListener('message', show);
    // The session has expired, or the gateway is gone: browsers don't try again after an error status.
    events.addEventListener('error', () => {
      if (events?.readyState === EventSource.CLOSED) set(false);
    });
  }
  button.setAttribute('aria-pressed', String(isOn));
  state.textContent = isOn ? 'New requests appear within seconds.' : '';
}

if (button) {
  button.hidden = false;
  button.addEventListener('click', () => set(events === undefined));
}
