// The panel of the console that shows a response.

const $ = (id) => document.getElementById(id);
const { tree, reservation } = $('console').dataset;
const [{ showBody }, { showReservation }] = await Promise.all([import(tree), import(reservation)]);
const formOf = (operation) => document.querySelector(`form[data-operation="${operation}"]`);

/**
 * Shows that a request is under way: the elapsed time, a button that cancels it, and the response before it faded. Returns a function that
 * ends this.
 */
export function showWaiting(cancel) {
  const startedAt = performance.now();
  const panel = $('answer');
  panel.hidden = false;
  panel.classList.add('is-waiting');
  $('answer-waiting').hidden = false;
  if ($('answer-waiting').getBoundingClientRect().bottom > innerHeight) panel.scrollIntoView();
  $('answer-content').hidden = $('answer-status').textContent === '';
  $('answer-cancel').onclick = cancel;
  const draw = () => {
    const seconds = (performance.now() - startedAt) / 1000;
    $('answer-elapsed').textContent = `Waiting for the response: ${seconds.toFixed(1)} s`;
  };
  const timer = setInterval(draw, 100);
  draw();
  return () => {
    clearInterval(timer);
    panel.classList.remove('is-waiting');
    $('answer-waiting').hidden = true;
    if ($('answer-content').hidden) panel.hidden = true;
  };
}

/** Forgets the response, for another operation. */
export function hideAnswer() {
  $('answer-status').textContent = '';
  $('answer').hidden = true;
}

/**
 * Shows a response: the most important parts first. Each of `offers` has the texts of its row, and what its button does; `go` shows an
 * operation, and `send` sends one.
 */
export function showAnswer(result, { offers, go, send }) {
  const { operation, status, statusText, headers, text, headersMs, ms, body } = result;
  const { needsToken, product } = formOf(operation).dataset;
  $('answer-content').hidden = false;
  $('answer-replayed').hidden = headers['idempotent-replayed'] !== 'true';
  const badge = $('answer-status');
  badge.textContent = `${status} ${statusText}`.trim();
  badge.className = `badge ${status === 206 || status === 202 ? 'partial' : status < 400 ? 'good' : 'bad'}`;
  $('answer-timing').textContent = `${Math.round(ms)} ms (first byte ${Math.round(headersMs)} ms)`;
  const requestId = headers['x-request-id'];
  const explain = $('answer-explain');
  explain.hidden = !requestId || !needsToken;
  explain.textContent = status === 206 ? 'Why is it incomplete?' : 'Explain this request';
  explain.classList.toggle('button', status === 206);
  if ($('answer-partial')) $('answer-partial').hidden = status !== 200 || !(body?.vehicles ?? body?.locations);
  explain.href = `/logs/${encodeURIComponent(requestId)}`;
  showReservation(result, { go, send });
  const { success = [], errors = [] } = body?.status ?? {};
  fillTable('answer-entries', [
    ...success.map(({ code, message, details }) => [code, message, '', details]),
    ...errors.map(({ code, reason, supplier, brand, field, cause, details }) => [
      code,
      cause ? `${reason}: ${cause}` : reason,
      [supplier, brand, field].filter(Boolean).join(' '),
      details,
    ]),
  ]);
  fillTable(
    'answer-suppliers',
    (body?.suppliers ?? []).map(({ supplier, outcome, cause, offers: found, duration_ms }) => [
      supplier,
      cause ? `${outcome}: ${cause}` : outcome,
      found,
      Math.round(duration_ms),
    ]),
  );
  fillTable(
    'answer-offers',
    offers.slice(0, SHOWN_OFFERS).map(({ texts, book }) => [...texts, bookButton(book)]),
  );
  $('answer-headers').textContent = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
  $('answer-subscribe').hidden =
    status !== 403 || !product || !errors.some(({ reason }) => reason === 'permissions_failure');
  showBody(body, text);
  for (const next of document.querySelectorAll('[data-next]')) {
    next.hidden = next.dataset.next !== operation || status >= 400;
  }
  $('answer').hidden = false;
  reveal();
}

/** Whether the panel is below the form, as in console.css. */
const isNarrow = matchMedia('(max-width: 55.99rem)');

/** Puts the focus on the panel, with its status in view. */
function reveal() {
  $('answer').focus({ preventScroll: true });
  const { top, bottom } = $('answer-status').getBoundingClientRect();
  if (isNarrow.matches || top < 0 || bottom > innerHeight) $('answer').scrollIntoView();
}

/** Lists the last results; `choose` is called with the one that is chosen. */
export function showHistory(results, choose) {
  const entries = results.map((kept) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'second';
    button.textContent = `${kept.status} ${formOf(kept.operation).dataset.method} ${kept.path}`;
    button.addEventListener('click', () => choose(kept));
    const entry = document.createElement('li');
    entry.append(button);
    return entry;
  });
  $('answer-history').replaceChildren(...entries);
}

/** Shows that there is no response, in a word or two and a sentence. */
export function showProblem(title, text) {
  $('answer-content').hidden = false;
  $('answer-replayed').hidden = true;
  $('answer-status').textContent = title;
  $('answer-status').className = 'badge bad';
  $('answer-timing').textContent = text;
  $('answer-explain').hidden = true;
  if ($('answer-partial')) $('answer-partial').hidden = true;
  $('answer-reservation').hidden = true;
  fillTable('answer-entries', []);
  fillTable('answer-suppliers', []);
  fillTable('answer-offers', []);
  $('answer-headers').textContent = '';
  $('answer-subscribe').hidden = true;
  showBody(undefined, '');
  for (const next of document.querySelectorAll('[data-next]')) next.hidden = true;
  $('answer').hidden = false;
  reveal();
}

/** Shows that the request of a form was canceled. A search has no effect; anything else may have been carried out before. */
export function showCanceled({ elements, dataset }) {
  const again = elements['Idempotency-Key'] ? 'send it again with the same Idempotency-Key' : 'read it';
  showProblem('Canceled', dataset.method === 'GET' ? '' : `It may have been carried out: ${again} to find out.`);
}

/** The first offers of a search that the table shows; the body has all. */
const SHOWN_OFFERS = 20;

function bookButton(book) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'second';
  button.textContent = 'Book this';
  button.addEventListener('click', book);
  return button;
}

function fillTable(id, rows) {
  $(id).hidden = rows.length === 0;
  const columns = [...$(id).querySelectorAll('th')].map((column) => column.textContent);
  const cells = (row) =>
    row.map((value, at) => {
      const cell = document.createElement('td');
      cell.append(value ?? '');
      cell.dataset.label = columns[at];
      if (value === '' || value === undefined) cell.className = 'absent';
      return cell;
    });
  $(id)
    .querySelector('tbody')
    .replaceChildren(
      ...rows.map((row) => {
        const line = document.createElement('tr');
        line.append(...cells(row));
        return line;
      }),
    );
}
