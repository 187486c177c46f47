// Booking: check the price, book with an Idempotency-Key, then follow the state that webhooks report.
import { $, call, errorsOf, input, make, moneyText, show, shownPrice } from './dom.js';

const dialog = /** @type {HTMLDialogElement} */ ($('dialog'));
/** What a visitor reads for each state of a reservation; others are shown as they are. */
const STATES = /** @type {Record<string, string>} */ ({
  on_request: 'Pending: the supplier must accept this booking. This page changes when it has decided.',
  unknown: 'Pending: the supplier gave no clear answer yet. Do not book again.',
  manual_review: 'Pending: we are asking the supplier. Do not book again.',
  pending: 'Pending: the booking is being sent to the supplier.',
  confirmed: 'Confirmed.',
  rejected: 'The supplier did not accept the booking.',
  expired: 'The supplier did not accept the booking in time.',
  failed: 'Nothing is booked.',
});

let quoteId = '';
let key = '';
/** @type {EventSource | undefined} */
let states;

/**
 * Checks the price of an offer and asks for the driver.
 * @param {any} offer
 */
export async function openBooking(offer) {
  states?.close();
  $('dialog-title').textContent = offer.vehicle.name ?? offer.vehicle.sipp_code;
  $('quote').replaceChildren('Checking the price with the supplier…');
  $('booking').replaceChildren();
  delete $('booking').dataset.state;
  show('booking-problem', '');
  $('driver').hidden = true;
  dialog.showModal();
  const { ok, body } = await call('/api/quotes', { body: { offer_id: offer.offer_id } });
  if (!ok) {
    $('quote').replaceChildren();
    return show('booking-problem', errorsOf(body));
  }
  quoteId = body.quote.quote_id;
  key = crypto.randomUUID();
  const { price } = body.quote.offer;
  $('quote').replaceChildren(
    make('p', { className: 'price' }, shownPrice(price)),
    make('p', {}, `${offer.brand} charges ${moneyText(price.total)}.`),
  );
  $('driver').hidden = false;
}

/** @param {{ state: string, confirmation_number?: string, source?: string }} reservation */
function showState({ state, confirmation_number, source }) {
  $('booking').dataset.state = state;
  $('booking').replaceChildren(
    make('p', {}, STATES[state] ?? state),
    make('p', {}, confirmation_number ? `Confirmation number ${confirmation_number}` : ''),
    make('p', { className: 'soft' }, source ? `State ${state}: ${source}` : ''),
  );
}

async function book() {
  /** @type {HTMLButtonElement} */ ($('book')).disabled = true;
  show('booking-problem', '');
  const driver = { first_name: input('first').value, last_name: input('last').value, email: input('email').value };
  // The same key again books once, even after a lost connection.
  const { ok, retry, body } = await call('/api/bookings', { body: { quote_id: quoteId, key, driver } }).catch(() => ({
    ok: false,
    retry: 'same-key',
    body: { status: { errors: [{ details: 'The connection was lost. Book again: it is booked only once.' }] } },
  }));
  /** @type {HTMLButtonElement} */ ($('book')).disabled = false;
  if (!ok) {
    // new-key: the supplier refused. The quote is used, so the visitor must choose an offer again.
    $('driver').hidden = retry === 'new-key';
    return show('booking-problem', errorsOf(body));
  }
  $('driver').hidden = true;
  showState(body.reservation);
  states = new EventSource(`/api/bookings/${body.reservation.reservation_id}/events`);
  states.addEventListener('message', ({ data }) => showState(JSON.parse(data)));
}

$('driver').addEventListener('submit', (event) => {
  event.preventDefault();
  void book();
});
$('close').addEventListener('click', () => dialog.close());
dialog.addEventListener('close', () => states?.close());
