// The forms of the console: their values, and the request that they make.

const $ = (id) => document.getElementById(id);
const { Variable, addressOf } = await import($('console').dataset.code);

/** Sets a member of nested objects; `names` is its path. */
function put(target, [name, ...rest], value) {
  if (rest.length === 0) target[name] = value;
  else {
    target[name] ??= {};
    put(target[name], rest, value);
  }
}

/** Converts an entered value to JSON. Values that don't match their kind are sent as entered, so the API can report the error. */
export function typed(text, kind) {
  if (kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (kind === 'flag') return text === 'true';
  if (kind === 'list') return text.split(',').map((item) => item.trim());
  return kind === 'json' ? (parsed(text) ?? text) : text;
}

/** The value of a JSON text; undefined for any other, such as metrics or an empty body. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields of a form and those that operations share, as far as they are sent. */
function* fieldsOf(form) {
  const { needsToken } = form.dataset;
  const more = needsToken ? document.querySelectorAll('[data-shared-headers] input') : [];
  for (const { name, value, type, dataset } of [...form.elements, ...more]) {
    const { place = 'body', kind } = dataset;
    if (name && (value !== '' || place === 'path')) yield { name, value, place, kind, isSecret: type === 'password' };
  }
}

/**
 * The request of a form, for request-code.js. A header or field of a form may have `shown`, which takes the place of a secret in code.
 * `token`: the application's token, if there is one.
 */
export function readRequest(form, { token, withScenario = true }) {
  const { operation: id, method, path: template, bodyType, needsToken, takesScenario } = form.dataset;
  const isJson = bodyType === 'application/json';
  const request = { id, method, template, path: {}, query: {}, headers: [] };
  if (isJson) request.json = {};
  else if (bodyType) request.form = [];
  for (const { name, value, place, kind, isSecret } of fieldsOf(form)) {
    const field = { name, value };
    if (isSecret) field.shown = new Variable('CLIENT_SECRET');
    else if (token && value === token) field.shown = new Variable('TOKEN');
    if (place === 'path' || place === 'query') request[place][name] = value;
    if (place === 'header') request.headers.push(field);
    if (place === 'body' && !isJson) request.form.push(field);
    if (place === 'body' && isJson) put(request.json, name.split('.'), typed(value, kind));
  }
  if (isJson) request.headers.push({ name: 'Content-Type', value: bodyType });
  if (needsToken) request.headers.push(...authorization(token));
  const scenario = $('scenario')?.value.trim();
  if (takesScenario && withScenario && scenario) request.headers.push({ name: 'X-Sandbox-Scenario', value: scenario });
  return request;
}

function authorization(token) {
  const kind = $('authorization')?.value ?? 'token';
  if (kind === 'none') return [];
  const name = 'Authorization';
  if (kind === 'token') return [{ name, value: `Bearer ${token}`, shown: ['Bearer ', new Variable('TOKEN')] }];
  return [{ name, value: kind === 'wrong' ? 'Bearer wrong' : 'Basic eDp5' }];
}

/** A request as it is written in code: typed values in its query, and no secrets. */
export function codeRequestOf(form, request) {
  const kinds = new Map([...form.elements].map(({ name, dataset }) => [name, dataset.kind]));
  const query = Object.entries(request.query).map(([name, value]) => [name, exactly(value, kinds.get(name))]);
  const hide = (list) => list?.map(({ name, value, shown }) => ({ name, value: shown ?? value }));
  return { ...request, query: Object.fromEntries(query), headers: hide(request.headers), form: hide(request.form) };
}

/** A typed value if it is written as it was entered. */
function exactly(text, kind) {
  const value = typed(text, kind);
  return String(value) === text ? value : text;
}

/** The path, query and body that are sent. */
export function messageOf(request) {
  const { json, form } = request;
  const body = json ? JSON.stringify(json) : form && new URLSearchParams(form.map(({ name, value }) => [name, value]));
  return { path: addressOf(request).join(''), body };
}
