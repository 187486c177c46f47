// The console: builds a request from the form, shows it as curl and TypeScript, sends it, shows the response, and keeps its ids for later
// requests. The access token is kept in this module only. Asset names contain a digest, so the page says where the other modules are.

const $ = (id) => document.getElementById(id);
const { request, answer } = $('console').dataset;
const [{ put, typed, curlOf, typeScriptOf }, { showAnswer, showProblem }] = await Promise.all([
  import(request),
  import(answer),
]);
const forms = [...document.querySelectorAll('form[data-operation]')];
const application = $('application');
/** Offers of the last search. A reservation can only be replaced by an offer of the same brand. */
let offers = [];
let reservedBrand;
/** The current token: {application, value, endsAtMs}. */
let token;

const shownForm = () => forms.find((form) => !form.closest('section').hidden);
const formOf = (operation) => forms.find((form) => form.dataset.operation === operation);
const fieldsNamed = (name) => forms.flatMap((form) => [...form.elements].filter((input) => input.name === name));
const fill = (name, value) => {
  for (const input of fieldsNamed(name)) input.value = value;
};

// ---- operations

function show(id) {
  for (const form of forms) form.closest('section').hidden = form.dataset.operation !== id;
  for (const link of document.querySelectorAll('nav [data-show]')) {
    if (link.dataset.show === id) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  if ($('answer')) $('answer').hidden = true;
  // A reservation can only be replaced by an offer of the same brand.
  const sameBrand = offers.find(({ brand }) => brand === reservedBrand);
  if (id === 'replaceReservation' && sameBrand) chooseId('offer_id', sameBrand.offer_id);
  draw();
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-show]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, '', link.href);
  show(link.dataset.show);
  const title = $(`${link.dataset.show}-title`);
  title.tabIndex = -1;
  title.focus();
});
const firstShown = shownForm().dataset.operation;
addEventListener('popstate', () => {
  const asked = new URLSearchParams(location.search).get('operation');
  show(formOf(asked) ? asked : firstShown);
});

// ---- the request

/** Reads the request from a form. Secret values are marked, because they must not be shown. */
function readRequest(form, { withScenario = true } = {}) {
  const { method, bodyType, needsToken, takesScenario } = form.dataset;
  const isJson = bodyType === 'application/json';
  const request = {
    method,
    path: form.dataset.path,
    headers: [],
    json: isJson ? {} : undefined,
    form: bodyType && !isJson ? [] : undefined,
  };
  const query = new URLSearchParams();
  for (const input of form.elements) {
    const { name, value } = input;
    const { place, kind } = input.dataset;
    if (!place || (value === '' && place !== 'path')) continue;
    const isSecret = input.type === 'password';
    if (place === 'path') request.path = request.path.replace(`{${name}}`, encodeURIComponent(value));
    if (place === 'query') query.set(name, value);
    if (place === 'header') request.headers.push({ name, value, isSecret });
    if (place === 'body' && !isJson) request.form.push({ name, value, isSecret });
    if (place === 'body' && isJson) put(request.json, name.split('.'), typed(value, kind));
  }
  if (isJson) request.headers.push({ name: 'Content-Type', value: bodyType });
  if (needsToken) request.headers.push(...authorization());
  const scenario = $('scenario')?.value.trim();
  if (takesScenario && withScenario && scenario) request.headers.push({ name: 'X-Sandbox-Scenario', value: scenario });
  request.path += query.size > 0 ? `?${query}` : '';
  return request;
}

function authorization() {
  const kind = $('authorization')?.value ?? 'token';
  if (kind === 'none') return [];
  const value = { wrong: 'Bearer wrong', scheme: 'Basic eDp5', token: `Bearer ${liveToken()?.value ?? '$TOKEN'}` }[
    kind
  ];
  return [{ name: 'Authorization', value, isMissingToken: kind === 'token' && !liveToken() }];
}

const bodyOf = ({ json, form }) =>
  json ? JSON.stringify(json) : form && new URLSearchParams(form.map(({ name, value }) => [name, value]));

// ---- snippets

function draw() {
  if (!$('curl')) return;
  const request = readRequest(shownForm());
  $('curl').textContent = curlOf(request, location.origin);
  $('typescript').textContent = typeScriptOf(request, location.origin);
}

// ---- the token

function liveToken() {
  return token?.application === application?.value && token.endsAtMs > Date.now() ? token : undefined;
}

/** Gets a token if there is no valid one. Throws an Error that says what to do. */
async function ensureToken() {
  if (liveToken()) return;
  const { value } = application;
  const response = await fetch('/console/token', {
    method: 'POST',
    body: new URLSearchParams({ application: value }),
    redirect: 'manual',
  });
  if (response.type === 'opaqueredirect') {
    location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
    throw new Error('Your session expired. Log in to continue.');
  }
  if (!response.ok) {
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    throw new Error(`No access token: ${page.querySelector('main p')?.textContent ?? response.status}`);
  }
  const { access_token, expires_in } = await response.json();
  token = { application: value, value: access_token, endsAtMs: Date.now() + expires_in * 1000 };
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
  if (form.elements.token?.value === '') form.elements.token.value = token.value;
}

async function exchange(form, options) {
  await prepare(form);
  const request = readRequest(form, options);
  const startedAt = performance.now();
  // Sent without cookies, like an application's request.
  const response = await fetch(request.path, {
    method: request.method,
    headers: request.headers.map(({ name, value }) => [name, value]),
    body: bodyOf(request),
    credentials: 'omit',
    cache: 'no-store',
  });
  const headersMs = performance.now() - startedAt;
  const text = await response.text();
  return { form, response, text, headersMs, ms: performance.now() - startedAt, body: parsed(text) };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    // Metrics, and responses without a body, are not JSON.
    return undefined;
  }
}

/** Runs a button's action, one at a time, and shows why if it fails. */
async function run(button, work) {
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    if (error instanceof Refused) showAnswer(error.result);
    else showProblem(`No response. ${error.message}`);
  }
  button.disabled = false;
  draw();
}

for (const form of forms) {
  const button = form.querySelector('button[type=submit]');
  if (!button) continue;
  button.disabled = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run(button, async () => {
      const result = await exchange(form);
      learn(result);
      showAnswer(result);
    });
  });
}

/** Sends a prerequisite of another operation without simulated failures, and shows the response only if it can't be used. */
async function prepareBy(operation) {
  const result = await exchange(formOf(operation), { withScenario: false });
  learn(result);
  if (!result.body?.vehicles?.[0] && !result.body?.reservation) throw new Refused(result);
}

class Refused extends Error {
  constructor(result) {
    super('The prerequisite request failed.');
    this.result = result;
  }
}

for (const button of document.querySelectorAll('button[data-prepare]')) {
  button.disabled = false;
  button.addEventListener('click', () =>
    run(button, async () => {
      await prepareBy('searchVehicles');
      if (button.dataset.prepare === 'reservation') await prepareBy('createReservation');
    }),
  );
}

// ---- learning from responses

/** Uses the newest offer or quote instead of the previous one. It starts a new booking, which needs a new key. */
function chooseId(name, id) {
  fill('offer_id', '');
  fill('quote_id', '');
  fill(name, id);
  renewKey();
}

function renewKey() {
  fill('Idempotency-Key', crypto.randomUUID());
}

function learn({ form, response, body }) {
  if (body?.vehicles?.[0]) {
    offers = body.vehicles;
    chooseId('offer_id', offers[0].offer_id);
  }
  if (body?.quote) chooseId('quote_id', body.quote.quote_id);
  if (body?.page?.kept_until) fill('search_id', body.search_id);
  if (body?.reservation) {
    fill('reservation_id', body.reservation.reservation_id);
    reservedBrand = body.reservation.brand;
  }
  if (body?.locations?.[0]) fill('location_id', body.locations[0].location_id);
  if (body?.endpoint) fill('endpoint_id', body.endpoint.endpoint_id);
  // Doesn't reuse a revoked token.
  if (form.dataset.operation === 'revokeToken' || (response.status === 401 && form.dataset.needsToken)) {
    token = undefined;
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
const parts = [...document.querySelectorAll('[data-part]')];
for (const part of parts) {
  part.addEventListener('change', () => {
    $('scenario').value = parts
      .filter(({ value }) => value !== '')
      .map(({ dataset, value }) => `${dataset.part}=${value}`)
      .join('; ');
  });
}
for (const snippet of document.querySelectorAll('.snippet')) {
  // Copied commands must work, so they need a token.
  snippet.addEventListener('toggle', () => snippet.open && run(snippet, () => prepare(shownForm())));
}
document.addEventListener('input', draw);
document.addEventListener('change', draw);

renewKey();
draw();
