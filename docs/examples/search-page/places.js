// Where: suggestions while the visitor types (the combobox pattern of ARIA).
import { $, call, input, make } from './dom.js';

let placeId = '';
/** @type {AbortController | undefined} */
let asking;
let active = -1;

const options = () => /** @type {HTMLElement[]} */ ([...$('places').children]);

function closePlaces() {
  $('places').hidden = true;
  input('where').setAttribute('aria-expanded', 'false');
  input('where').removeAttribute('aria-activedescendant');
  active = -1;
}

/** @param {number} index */
function activate(index) {
  active = index;
  for (const [at, option] of options().entries()) option.setAttribute('aria-selected', String(at === index));
  input('where').setAttribute('aria-activedescendant', options()[index]?.id ?? '');
}

/** @param {HTMLElement | undefined} option */
function choosePlace(option) {
  if (!option) return;
  placeId = option.dataset.place ?? '';
  input('where').value = option.textContent ?? '';
  closePlaces();
}

async function suggest() {
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  placeId = '';
  const keyword = input('where').value.trim();
  if (!keyword) return closePlaces();
  await new Promise((resolve) => setTimeout(resolve, 150));
  if (signal.aborted) return;
  const { ok, body } = await call(`/api/places?${new URLSearchParams({ keyword })}`, { signal }).catch(() => ({
    ok: false,
    body: {},
  }));
  if (signal.aborted) return;
  // Regions and countries are too large for a search.
  const places = (ok ? body.places : []).filter(
    (/** @type {any} */ { type }) => type !== 'country' && type !== 'region',
  );
  $('places').replaceChildren(
    ...places.map((/** @type {any} */ place, /** @type {number} */ index) => {
      const text = [place.name, place.code && `(${place.code})`].filter(Boolean).join(' ');
      const option = make(
        'div',
        { id: `place-${index}`, role: 'option' },
        [text, place.region, place.country].filter(Boolean).join(', '),
      );
      option.dataset.place = place.place_id;
      option.addEventListener('mousedown', (event) => event.preventDefault());
      option.addEventListener('click', () => choosePlace(option));
      return option;
    }),
  );
  if (places.length === 0) return closePlaces();
  $('places').hidden = false;
  input('where').setAttribute('aria-expanded', 'true');
  activate(0);
}

input('where').addEventListener('input', () => void suggest());
input('where').addEventListener('blur', () => {
  asking?.abort();
  closePlaces();
});
input('where').addEventListener('keydown', (event) => {
  if ($('places').hidden) return;
  const count = options().length;
  if (event.key === 'ArrowDown') activate((active + 1) % count);
  else if (event.key === 'ArrowUp') activate((active + count - 1) % count);
  else if (event.key === 'Enter') choosePlace(options()[active]);
  else if (event.key === 'Escape') closePlaces();
  else return;
  event.preventDefault();
});

/** The chosen place, or what was typed: a code such as BOS is one as well. */
export const chosenPlace = () => placeId || input('where').value.trim();
