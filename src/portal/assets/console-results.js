// The last results of the console, newest first. The browser's tab keeps them, so that they are there after Explain and Back. Answers with
// secrets are kept by the page only.

const KEY = 'forecourt-console';
const MOST = 20;
const MOST_CHARACTERS = 200_000;
const MOST_MS = 3_600_000;
const SECRETS = /"(?:access_token|secret)"/;
const { account } = document.body.dataset;
const results = load();

function load() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    if (kept?.account === account && Date.now() - kept.at < MOST_MS) return kept.results;
    sessionStorage.removeItem(KEY);
  } catch {
    // Without storage, or with something else in it, there are no earlier results.
  }
  return [];
}

export const lastResults = () => results;

/** Keeps a result, and returns its id. */
export function keep(result) {
  const id = `${Date.now()}-${results.length}`;
  results.unshift({ ...result, id });
  results.splice(MOST);
  const shareable = results.filter(({ text }) => text.length <= MOST_CHARACTERS && !SECRETS.test(text));
  for (let count = shareable.length; count >= 0 && !stored(shareable.slice(0, count)); count -= 5);
  return id;
}

/** Whether there was room for them. */
function stored(some) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ account, at: Date.now(), results: some }));
    return true;
  } catch {
    return false;
  }
}
