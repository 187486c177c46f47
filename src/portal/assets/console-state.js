// The state of the console: its address, and the values of a form.

/** Query parameters of the console itself; a field with such a name isn't in the address. */
const OWN = ['application', 'operation', 'scenario', 'bearer', 'recipe'];
/** Fields with personal data, which must not be in an address. */
const PERSONAL = /client_reference|confirmation_number/;

/** The address that shows a form again: its operation, the scenario, and the fields of path and query that aren't empty. */
export function addressOf(form, { scenario, bearer, application }) {
  const query = new URLSearchParams({ operation: form.dataset.operation });
  if (application) query.set('application', application);
  if (scenario) query.set('scenario', scenario);
  if (bearer !== 'token') query.set('bearer', bearer);
  for (const { name, value, dataset } of form.elements) {
    const isShareable = ['path', 'query'].includes(dataset.place) && !OWN.includes(name) && !PERSONAL.test(name);
    if (isShareable && value !== '') query.set(name, value);
  }
  return `/console?${query}`;
}

/** Whether a link of this site led here to send the request (portal.js). True only once: a reload sends nothing. */
export function isToRun() {
  try {
    const asked = sessionStorage.getItem('forecourt-run');
    sessionStorage.removeItem('forecourt-run');
    return asked === location.pathname + location.search;
  } catch {
    return false;
  }
}

const keyOf = ({ name, dataset }) => `${dataset.place ?? 'body'} ${name}`;

/** The values of a form by place and name, without secrets. */
export function valuesOf(form) {
  const kept = [...form.elements].filter(({ name, type }) => name && name !== 'token' && type !== 'password');
  return Object.fromEntries(kept.map((input) => [keyOf(input), input.value]));
}

export function restoreValues(form, values) {
  for (const input of form.elements) if (keyOf(input) in values) input.value = values[keyOf(input)];
}
