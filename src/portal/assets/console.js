// The console: builds a request from the form, shows it as commands, sends it, shows the response, and keeps its ids for
// later requests. Asset names contain a digest, so the page says where the other modules are.

const $ = (id) => document.getElementById(id);
const modules = $('console').dataset;
const load = (name) => import(modules[name]);
const [{ readRequest, codeRequestOf, messageOf, parsed }, { LANGUAGES, codeOf }, panel, { watchTree }] =
  await Promise.all(['form', 'code', 'answer', 'tree'].map(load));
const [{ addressOf, isToRun, valuesOf, restoreValues }, scenarios, tokens, ids, { lastResults, keep }, list] =
  await Promise.all(['state', 'scenario', 'token', 'ids', 'results', 'operations'].map(load));
const { showScenario, setScenario, watchScenario } = scenarios;
const { liveToken, ensureToken, forgetToken } = tokens;
const { fill, fieldsNamed } = ids;
const { markOperation } = list;
const forms = [...document.querySelectorAll('form[data-operation]')];
const application = $('application');
const shownForm = () => forms.find((form) => !form.closest('section').hidden);
const formOf = (operation) => forms.find((form) => form.dataset.operation === operation);

// ---- operations

function show(id) {
  for (const form of forms) form.closest('section').hidden = form.dataset.operation !== id;
  markOperation(id, $(`${id}-title`).textContent);
  if ($('answer')) panel.hideAnswer();
  if (id === 'replaceReservation') ids.chooseReplacement();
  draw();
}

/** Shows an operation as a new entry of the browser's history. */
function goTo(operation) {
  saveState();
  history.pushState(null, '', `/console?operation=${operation}`);
  show(operation);
  saveState();
  const title = $(`${operation}-title`);
  title.tabIndex = -1;
  title.focus();
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-show]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  goTo(link.dataset.show);
});

/** Keeps what the page shows in its address and in the browser's history, so that Back, Forward and Reload restore it. */
function saveState(result = history.state?.result) {
  const form = shownForm();
  const kept = { scenario: $('scenario')?.value ?? '', bearer: $('authorization')?.value ?? 'token' };
  const entry = { ...kept, operation: form.dataset.operation, values: valuesOf(form), result };
  history.replaceState(entry, '', addressOf(form, { ...kept, application: application?.value }));
}

function restoreState() {
  const asked = new URLSearchParams(location.search).get('operation');
  show(formOf(asked) ? asked : firstShown);
  if (!history.state?.values) return;
  const { scenario, bearer, values, result } = history.state;
  if ($('scenario')) $('scenario').value = scenario;
  if ($('authorization')) $('authorization').value = bearer;
  restoreValues(shownForm(), values);
  showScenario();
  draw();
  const kept = lastResults().find(({ id }) => id === result);
  if (kept) showResult(kept);
}
const firstShown = shownForm().dataset.operation;
addEventListener('popstate', restoreState);

function sendWith(operation, scenario) {
  if (sending) return;
  if (shownForm() !== formOf(operation)) goTo(operation);
  setScenario(scenario);
  shownForm().requestSubmit();
}

/** Each starter fills in its request and sends it. */
for (const starter of document.querySelectorAll('[data-starter]')) {
  starter.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { starter: operation, scenario = '' } = starter.dataset;
    // A search of one brand may call another supplier than the one that fails.
    if (scenario) fill('brand', '');
    sendWith(operation, scenario);
  });
}

/** The buttons of failures send the operation that is shown, or a search if it doesn't call suppliers. */
for (const failure of document.querySelectorAll('button[data-scenario]')) {
  failure.addEventListener('click', () => {
    const { takesScenario, operation } = shownForm().dataset;
    sendWith(takesScenario ? operation : 'searchVehicles', failure.dataset.scenario);
  });
}

// ---- code

const requestOf = (form, options) => readRequest(form, { token: liveToken()?.value, ...options });

function draw() {
  if (!$('code-curl')) return;
  const form = shownForm();
  const code = codeOf(codeRequestOf(form, requestOf(form)), location.origin);
  for (const { id } of LANGUAGES) $(`code-${id}`).textContent = code[id];
}

// ---- sending

/** Whether a form needs the token: for authorization, or for an empty token field. */
function wantsToken(form) {
  const isAuthorized = form.dataset.needsToken && ($('authorization')?.value ?? 'token') === 'token';
  return isAuthorized || form.elements.token?.value === '';
}

async function prepare(form) {
  if (!wantsToken(form)) return;
  await ensureToken();
  if (form.elements.token?.value === '') form.elements.token.value = liveToken().value;
}

async function exchange(form, options) {
  await prepare(form);
  const request = requestOf(form, options);
  const { path, body } = messageOf(request);
  const startedAt = performance.now();
  // Sent without cookies, like an application's request.
  const response = await fetch(path, {
    method: request.method,
    headers: request.headers.map(({ name, value }) => [name, value]),
    body,
    credentials: 'omit',
    cache: 'no-store',
    signal: sending.signal,
  });
  const headersMs = performance.now() - startedAt;
  const text = await response.text();
  const ms = performance.now() - startedAt;
  const { status, statusText } = response;
  const facts = { operation: form.dataset.operation, values: valuesOf(form), path, status, statusText, headersMs, ms };
  return { ...facts, headers: Object.fromEntries(response.headers), text, body: parsed(text) };
}

/** The request under way; undefined = none. */
let sending;

/** Runs a button's action, one at a time, and shows why if it fails. */
async function run(button, work) {
  if (sending) return;
  button.disabled = true;
  sending = new AbortController();
  const endWaiting = panel.showWaiting(() => sending?.abort());
  let failure;
  try {
    await work();
  } catch (error) {
    failure = error;
  }
  endWaiting();
  if (failure instanceof Refused) showResult(failure.result);
  else if (sending.signal.aborted) panel.showCanceled(shownForm());
  else if (failure) panel.showProblem('No response', failure.message);
  sending = undefined;
  button.disabled = false;
  draw();
}

function showResult(result) {
  const offers = result.body?.vehicles?.map((offer) => ({
    texts: ids.offerTexts(offer),
    book: () => ids.chooseOffer(offer) ?? goTo('createReservation'),
  }));
  const send = (operation) => sendWith(operation, $('scenario').value);
  panel.showAnswer(result, { offers: offers ?? [], go: goTo, send });
}

function keepResult(result) {
  saveState(keep(result));
  showHistory();
}

function showHistory() {
  $('starters').hidden = lastResults().length > 0;
  panel.showHistory(lastResults(), (kept) => {
    goTo(kept.operation);
    restoreValues(formOf(kept.operation), kept.values);
    showResult(kept);
    saveState(kept.id);
    draw();
  });
}

for (const form of forms) {
  const button = form.querySelector('button[type=submit]');
  if (!button) continue;
  button.disabled = false;
  button.title = 'Ctrl+Enter';
  // The API says what is invalid.
  form.noValidate = true;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run(button, async () => {
      // A first booking needs an offer, which a search finds.
      const isFirst = form.dataset.operation === 'createReservation' && !ids.hasOffers();
      if (isFirst && form.elements.offer_id.value + form.elements.quote_id.value === '')
        await prepareBy('searchVehicles');
      const result = await exchange(form);
      take(result);
      showResult(result);
      keepResult(result);
    });
  });
}

/** Sends a prerequisite without simulated failures, and shows the response only if it can't be used. */
async function prepareBy(operation) {
  const result = await exchange(formOf(operation), { withScenario: false });
  take(result);
  if (!result.body?.vehicles?.[0] && !result.body?.reservation) throw new Refused(result);
}

class Refused extends Error {
  constructor(result) {
    super('The prerequisite request failed.');
    this.result = result;
  }
}

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  shownForm().requestSubmit();
});

$('answer-subscribe')
  ?.querySelector('button')
  .addEventListener('click', async (event) => {
    const form = shownForm();
    event.target.disabled = true;
    const path = `/applications/${application.value}/subscriptions/${form.dataset.product}`;
    const answer = await fetch(path, { method: 'POST', body: new URLSearchParams(), redirect: 'manual' }).catch(
      () => undefined,
    );
    event.target.disabled = false;
    // It leads to the page of the application, or to the login.
    if (answer?.type === 'opaqueredirect') form.requestSubmit();
    else location.assign(`/applications/${application.value}`);
  });

for (const button of document.querySelectorAll('button[data-prepare]')) {
  button.disabled = false;
  button.addEventListener('click', () =>
    run(button, async () => {
      await prepareBy('searchVehicles');
      if (button.dataset.prepare === 'reservation') await prepareBy('createReservation');
    }),
  );
}

/** Takes ids from a response, and forgets a token that it shows to be of no use. */
function take(result) {
  ids.learn(result);
  const { operation, status } = result;
  if (operation === 'revokeToken' || (status === 401 && formOf(operation).dataset.needsToken)) {
    forgetToken();
    fill('token', '');
  }
}

// ---- settings

application?.addEventListener('change', () => {
  const { clientId } = application.selectedOptions[0].dataset;
  for (const input of fieldsNamed('client_id')) if (input.value !== '') input.value = clientId;
  fill('token', '');
});
$('magic-place')?.addEventListener('change', (event) => {
  for (const name of ['keyword', 'pickup_location']) fill(name, event.target.value);
  // A magic place has no other country and is not limited to a brand.
  for (const name of ['country_code', 'brand']) fill(name, '');
});
watchScenario();
if ($('answer')) {
  watchTree();
  showHistory();
}
document.addEventListener('input', draw);
document.addEventListener('change', draw);
document.addEventListener('change', () => saveState());
// A browser may restore fields of its own accord after this module has run.
addEventListener('pageshow', showScenario);

ids.renewKey();
restoreState();
showScenario();
if (isToRun()) shownForm().requestSubmit();
