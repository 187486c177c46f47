// What both parts of the page use: elements, calls of the page's server, prices.

/** @param {string} id */
export const $ = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @param {string} id */
export const input = (id) => /** @type {HTMLInputElement} */ ($(id));

/**
 * An element with properties and children. Text is never parsed as HTML.
 * @param {string} tag
 * @param {Record<string, unknown>} [properties]
 * @param {...(Node | string | false | undefined)} children
 * @returns {HTMLElement}
 */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== false && child !== undefined));
  return element;
}

/** @param {{ amount: string, currency: string }} money */
export const moneyText = ({ amount, currency }) =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).format(/** @type {any} */ (amount));

/**
 * Calls the page's server. Its errors have the form of Forecourt's.
 * @param {string} path
 * @param {{ body?: unknown, signal?: AbortSignal }} [options]
 */
export async function call(path, { body, signal } = {}) {
  const scenario = input('scenario').value.trim();
  const answer = await fetch(path, {
    signal,
    method: body ? 'POST' : 'GET',
    headers: {
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(scenario ? { 'x-sandbox-scenario': scenario } : {}),
    },
    body: body ? JSON.stringify(body) : undefined,
  });
  return {
    code: answer.status,
    ok: answer.ok,
    retry: answer.headers.get('idempotent-retry'),
    body: await answer.json(),
  };
}

/** @param {any} body */
export const errorsOf = (body) =>
  (body.status?.errors ?? []).map((/** @type {any} */ { details }) => details).join(' ');

/**
 * @param {string} id
 * @param {string} text empty = nothing to show
 */
export function show(id, text) {
  $(id).textContent = text;
  $(id).hidden = text === '';
}

/**
 * The total in the currency of the search, or in the supplier's if there is no rate for it.
 * @param {any} price
 */
export const shownPrice = ({ display, total }) => moneyText(display ?? total);
