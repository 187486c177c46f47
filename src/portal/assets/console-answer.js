// The panel of the console that shows a response.

const $ = (id) => document.getElementById(id);

/** Shows a response: the most important parts first. */
export function showAnswer({ form, response, text, headersMs, ms, body }) {
  const { status } = response;
  const badge = $('answer-status');
  badge.textContent = `${status} ${response.statusText}`.trim();
  badge.className = `badge ${status === 206 || status === 202 ? 'partial' : status < 400 ? 'good' : 'bad'}`;
  $('answer-timing').textContent = `${Math.round(ms)} ms (first byte ${Math.round(headersMs)} ms)`;
  const requestId = response.headers.get('x-request-id');
  $('answer-explain').hidden = !requestId || !form.dataset.needsToken;
  $('answer-explain').href = `/requests/${encodeURIComponent(requestId)}`;
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
  $('answer-headers').textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  $('answer-body').value = body === undefined ? text || '(no body)' : JSON.stringify(body, null, 2);
  for (const next of document.querySelectorAll('[data-next]')) {
    next.hidden = next.dataset.next !== form.dataset.operation || status >= 400;
  }
  $('answer').hidden = false;
  $('answer').focus();
}

/** Shows why there is no response. */
export function showProblem(text) {
  $('answer-status').textContent = 'Not sent';
  $('answer-status').className = 'badge bad';
  $('answer-timing').textContent = text;
  $('answer-explain').hidden = true;
  fillTable('answer-entries', []);
  fillTable('answer-suppliers', []);
  $('answer-headers').textContent = '';
  $('answer-body').value = '';
  for (const next of document.querySelectorAll('[data-next]')) next.hidden = true;
  $('answer').hidden = false;
  $('answer').focus();
}

function fillTable(id, rows) {
  $(id).hidden = rows.length === 0;
  const cells = (row) =>
    row.map((value) => {
      const cell = document.createElement('td');
      cell.textContent = value ?? '';
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
