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

/** The values of a form by the ids of its fields, without secrets. */
export function valuesOf(form) {
  const kept = [...form.elements].filter(({ id, name, type }) => id && name !== 'token' && type !== 'password');
  return Object.fromEntries(kept.map(({ id, value }) => [id, value]));
}

export function restoreValues(form, values) {
  for (const input of form.elements) if (input.id in values) input.value = values[input.id];
}
