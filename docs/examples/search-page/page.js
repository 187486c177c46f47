// The page: every place, price, count and state that it shows comes from an answer of Forecourt.
import { openBooking } from './booking.js';
import { $, call, errorsOf, input, make, moneyText, show, shownPrice } from './dom.js';
import { chosenPlace } from './places.js';

/** Facets that are filters, with their headings and the kind of name that their values have. */
const FILTERS = [
  { name: 'category', heading: 'Category', kind: 'category' },
  { name: 'transmission', heading: 'Transmission', kind: 'transmission' },
  { name: 'fuel', heading: 'Fuel', kind: 'fuel' },
  { name: 'payment', heading: 'Payment', kind: 'rate_payment' },
  { name: 'free_cancellation', heading: 'Free cancellation', kind: 'yes', only: 'true' },
  { name: 'brand', heading: 'Brand', kind: 'brand' },
];

/** @type {Record<string, Record<string, string>> | undefined} */
let names;
/** @type {Promise<void> | undefined} */
let readingNames;

/** Reads the names of values unless they are known. If it fails, the next answer that is shown tries again. */
function readNames() {
  readingNames ??= call('/api/names', { signal: AbortSignal.timeout(5_000) })
    .then(({ ok, body }) => {
      if (ok) names = body.names;
    })
    .catch(() => undefined)
    .finally(() => {
      if (!names) readingNames = undefined;
    });
  return readingNames;
}
void readNames();

/**
 * The name of a value; undefined if it has none, or names could not be read.
 * @param {string} kind
 * @param {string} value
 */
const nameOf = (kind, value) => names?.[kind]?.[value];

/** @type {Record<string, string[]>} */
let chosen = {};
/** @type {{ prev?: string, next?: string }} */
let links = {};

async function search() {
  const query = new URLSearchParams({
    pickup_location: chosenPlace(),
    pickup_date: `${input('pickup').value}:00`,
    dropoff_date: `${input('dropoff').value}:00`,
    ...(input('group').checked && { group_by: 'car' }),
  });
  for (const [name, values] of Object.entries(chosen)) if (values.length > 0) query.set(name, values.join(','));
  await showAnswer(`/api/search?${query}`);
}

/** @param {string} path */
async function showAnswer(path) {
  $('results').setAttribute('aria-busy', 'true');
  const { code, ok, body } = await call(path).catch(() => ({ code: 0, ok: false, body: {} }));
  if (ok) await readNames();
  $('results').removeAttribute('aria-busy');
  show('problem', ok ? '' : errorsOf(body) || 'The server could not be reached. Try again.');
  if (!ok) {
    $('results').hidden = true;
    return;
  }
  // 206: some suppliers are missing, and the visitor should know which and why.
  const answered = body.suppliers.filter((/** @type {any} */ { outcome }) => outcome === 'answered').length;
  const partial = `Only ${answered} of ${body.suppliers.length} suppliers are included. ${errorsOf(body)}`;
  show('partial', code === 206 ? partial : '');
  showFilters(body.facets);
  const grouped = body.groups !== undefined;
  $('found').textContent = grouped
    ? `${body.groups_found} cars in ${body.vehicles_found} offers`
    : `${body.vehicles_found} offers`;
  const { conversion } = body;
  show(
    'rates',
    conversion ? `Prices in ${conversion.currency}: rates of ${conversion.source}, ${conversion.as_of}.` : '',
  );
  const groups = grouped ? body.groups : body.vehicles.map((/** @type {any} */ offer) => ({ offer, alternatives: [] }));
  $('cars').replaceChildren(...groups.map(card));
  links = body.links ?? {};
  $('page').textContent = body.page ? `Page ${body.page.number} of ${body.page.count}` : '';
  /** @type {HTMLButtonElement} */ ($('previous')).disabled = !links.prev;
  /** @type {HTMLButtonElement} */ ($('next')).disabled = !links.next;
  $('results').hidden = false;
}

/** @param {any} facets */
function showFilters(facets) {
  const sets = FILTERS.map(({ name, heading, kind, only }) => {
    const values = facets[name].values.filter((/** @type {any} */ { value }) => only === undefined || value === only);
    // A chosen value that no offer has any more can still be removed.
    for (const value of chosen[name] ?? [])
      if (!values.some((/** @type {any} */ one) => one.value === value)) values.push({ value, count: 0 });
    const boxes = values.map((/** @type {any} */ { value, count }) => {
      const isChosen = chosen[name]?.includes(value) ?? false;
      const box = make('input', { type: 'checkbox', name, value, checked: isChosen });
      return make('label', { className: 'check' }, box, `${only ? 'Yes' : (nameOf(kind, value) ?? value)} (${count})`);
    });
    return make('fieldset', {}, make('legend', {}, heading), ...boxes);
  });
  const focused = /** @type {HTMLInputElement | null} */ (document.activeElement);
  $('filters').replaceChildren(...sets);
  if (focused?.type === 'checkbox')
    for (const box of $('filters').querySelectorAll('input'))
      if (box.name === focused.name && box.value === focused.value) box.focus();
}

/** @param {any} group */
function card({ offer, alternatives }) {
  const { vehicle, price, pickup, rate } = offer;
  const facts = [
    nameOf('category', vehicle.sipp?.category),
    nameOf('transmission', vehicle.transmission),
    nameOf('rate_payment', rate.payment),
  ];
  const hours = make('div', { hidden: true });
  const hoursButton = make('button', { type: 'button', ariaExpanded: 'false' }, 'Opening hours');
  hoursButton.addEventListener('click', () => void toggleHours(hoursButton, hours, pickup.location.location_id));
  const bookButton = make('button', { type: 'button', className: 'main' }, `Book ${offer.brand}`);
  bookButton.addEventListener('click', () => void openBooking(offer));
  const others = alternatives.map((/** @type {any} */ other) => {
    const button = make('button', { type: 'button' }, `${other.brand}: ${shownPrice(other.price)}`);
    button.addEventListener('click', () => void openBooking(other));
    return button;
  });
  return make(
    'li',
    { className: 'card' },
    make(
      'h3',
      {},
      vehicle.name ?? vehicle.sipp_code,
      ' ',
      offer.status === 'on_request' && make('span', { className: 'badge' }, 'On request'),
    ),
    make('p', { className: 'price' }, shownPrice(price)),
    make(
      'p',
      {},
      `${offer.brand}, ${pickup.location.name}`,
      make('br'),
      make('span', { className: 'soft' }, facts.filter(Boolean).join(' · ')),
    ),
    bookButton,
    make(
      'div',
      {},
      make('p', { className: 'soft' }, `Charged by the supplier: ${moneyText(price.total)}`),
      hoursButton,
      hours,
    ),
    others.length > 0 &&
      make(
        'div',
        { className: 'links', role: 'group', ariaLabel: 'Same car' },
        `Same car from ${others.length} more:`,
        ...others,
      ),
  );
}

/**
 * @param {HTMLElement} button
 * @param {HTMLElement} place
 * @param {string} id
 */
async function toggleHours(button, place, id) {
  place.hidden = !place.hidden;
  button.ariaExpanded = String(!place.hidden);
  if (place.hidden || place.childElementCount > 0) return;
  const { ok, body } = await call(`/api/locations/${id}`);
  const { opening_hours: week = [], special_hours: special = [] } = ok ? body.location : {};
  const slot = (/** @type {any} */ { open, close }) => `${open}–${close}`;
  const lines = [
    ...week.map((/** @type {any} */ one) => `${one.day}: ${slot(one)}`),
    ...special.map(
      (/** @type {any} */ one) => `${one.name ?? one.date}: ${one.slots.map(slot).join(', ') || 'closed'}`,
    ),
  ];
  const list = make('ul', {}, ...lines.map((line) => make('li', {}, line)));
  place.replaceChildren(
    lines.length > 0 ? list : make('p', {}, ok ? 'The supplier states no opening hours.' : errorsOf(body)),
  );
}

/** @param {number} days */
const inDays = (days) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T10:00`;

/** @param {string | undefined} link */
const turnTo = (link) => {
  // links.next is a path of the API; the page's server reads the same search.
  const { pathname, search: query } = new URL(link ?? '', location.origin);
  return showAnswer(`/api/searches/${pathname.split('/').at(-1)}${query}`);
};

input('pickup').value = inDays(30);
input('dropoff').value = inDays(34);
$('search').addEventListener('submit', (event) => {
  event.preventDefault();
  chosen = {};
  void search();
});
$('filters').addEventListener('change', ({ target }) => {
  const { name, value, checked } = /** @type {HTMLInputElement} */ (target);
  const others = (chosen[name] ?? []).filter((one) => one !== value);
  chosen[name] = checked ? [...others, value] : others;
  void search();
});
$('previous').addEventListener('click', () => void turnTo(links.prev));
$('next').addEventListener('click', () => void turnTo(links.next));
