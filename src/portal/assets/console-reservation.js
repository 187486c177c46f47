// The reservation of a response in short, and what to do next.

const $ = (id) => document.getElementById(id);
/** States without a result yet, and those of a car that is still reserved. */
const OPEN = [
  'pending',
  'unknown',
  'manual_review',
  'on_request',
  'modify_pending',
  'cancel_pending',
  'cancel_unknown',
];
const HELD = ['confirmed', 'on_request'];

/**
 * Shows the reservation of a body, or nothing without one. `go` shows an operation with its ids filled in, and `send` sends one.
 */
export function showReservation({ body, headers }, { go, send }) {
  const panel = $('answer-reservation');
  const { reservation } = body ?? {};
  panel.hidden = !reservation;
  if (!reservation) return panel.replaceChildren();
  const { reservation_id: id, state } = reservation;
  const isOpen = OPEN.includes(state);
  const page = make('a', 'Open the reservation');
  page.className = 'button second';
  page.href = `/reservations/${encodeURIComponent(id)}`;
  const actions = make(
    'p',
    ...(isOpen ? [buttonOf('Read it again', () => send('readReservation'))] : []),
    page,
    ...(HELD.includes(state) ? [buttonOf('Cancel…', () => go('cancelReservation'))] : []),
  );
  actions.className = 'actions';
  panel.replaceChildren(
    make('h3', state === 'unknown' ? 'Reservation: outcome unknown' : `Reservation ${state.replaceAll('_', ' ')}`),
    ...(isOpen ? [nextOf(headers['retry-after'])] : []),
    factsOf(reservation),
    actions,
  );
}

function factsOf({ reservation_id: id, confirmation_number: number, brand, vehicle, pickup, dropoff, price }) {
  const car = [vehicle.name, vehicle.sipp_code].filter(Boolean).join(', ');
  const facts = [
    ['Confirmation', number ?? 'none yet'],
    ['Car', `${car} from ${brand}`],
    ['Pickup', stayText(pickup)],
    ['Dropoff', stayText(dropoff)],
    ['Price', `${price.total.amount} ${price.total.currency}`],
    ['Reservation id', id],
  ];
  const list = make('dl', ...facts.flatMap(([name, text]) => [make('dt', name), make('dd', text)]));
  list.className = 'facts';
  return list;
}

/** "Boston Logan Airport, 2027-05-01 10:00". */
function stayText({ location, date }) {
  return `${location.name}, ${date.slice(0, 16).replace('T', ' ')}`;
}

/** How to learn the result of what the supplier hasn't decided yet. */
function nextOf(retryAfter) {
  const webhooks = make('a', 'webhook');
  webhooks.href = `/applications/${$('application').value}/webhooks`;
  const again = retryAfter ? `Read it again after ${retryAfter} seconds` : 'Read it again';
  return make(
    'p',
    `The result isn’t known yet, so don’t book again. ${again} until its state changes, or add a `,
    webhooks,
    ', which is called then.',
  );
}

function make(name, ...content) {
  const element = document.createElement(name);
  element.append(...content);
  return element;
}

function buttonOf(label, work) {
  const button = make('button', label);
  button.type = 'button';
  button.className = 'second';
  button.addEventListener('click', work);
  return button;
}
