import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { booked, create, driver, fresh, offerOf, on, type Reservation } from '../support/booking.js';
import { startChild } from '../support/child.js';
import { PROJECT } from '../support/project.js';
import { sharedGateway } from '../support/shared-gateway.js';

const running = sharedGateway();
const client = () => running().client;
const SUPPLIERS = '/cars/suppliers/v1/';
const VEHICLES = '/cars/vehicles/v1';
const german = { 'accept-language': 'de-AT, en;q=0.5' };

let reservation: Reservation;
let cancelled: Reservation;
beforeAll(async () => {
  const { offer_id } = await offerOf(client(), 'alpine');
  reservation = await booked(client(), { offer_id, driver: driver(fresh('Voucher')), client_reference: fresh('ref') });
  cancelled = await booked(client(), { offer_id, driver: driver(fresh('Voucher')) });
  await on(client(), 'DELETE', cancelled.reservation_id);
});
const voucherOf = ({ reservation_id }: Reservation): string => `/cars/reservation/v1/${reservation_id}/voucher`;

describe('suppliers', () => {
  test('all are listed in the order of answers, one is found by its id, and both are cached per language', async () => {
    const list = await client().get(SUPPLIERS);
    const { suppliers } = JSON.parse(list.text);
    expect(suppliers.map(({ supplier }: { supplier: string }) => supplier)).toEqual(['abg', 'dune', 'alpine', 'bravo']);
    expect([list.headers['content-language'], list.headers.vary, list.headers['cache-control']]).toEqual([
      'en',
      'authorization, accept-language',
      'private, max-age=60',
    ]);
    const one = await client().get(`${SUPPLIERS}dune`, { headers: german });
    expect([one.status, one.headers['content-language']]).toEqual([200, 'de']);
    const { supplier } = JSON.parse(one.text);
    expect(supplier).toMatchObject({
      state: 'available',
      capabilities: { book: true, modify: false, changes: [] },
      payments: [{ value: 'counter', name: 'Am Schalter' }],
    });
    const etag = one.headers.etag ?? '';
    const same = { headers: { ...german, 'if-none-match': etag } };
    expect((await client().get(`${SUPPLIERS}dune`, same)).status).toBe(304);
    expect((await client().get(`${SUPPLIERS}dune`, { headers: { 'if-none-match': etag } })).status).toBe(200);
    const headers = { authorization: `Bearer ${await client().token()}` };
    const head = await fetch(`${running().gateway.baseUrl}${SUPPLIERS}`, { method: 'HEAD', headers });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, list.headers.etag, '']);
  });

  test('one that is off is as unknown as one that never existed; an unknown parameter and no token are refused', async () => {
    const [off, invented] = [await client().get(`${SUPPLIERS}cobalt`), await client().get(`${SUPPLIERS}nemo`)];
    expect([off.status, off.errors]).toEqual([404, invented.errors]);
    expect((await client().get(`${SUPPLIERS}?name=a`)).errors[0]?.field).toBe('name');
    expect((await client().get(SUPPLIERS, { token: null })).status).toBe(401);
  });
});

describe('cars and names', () => {
  test('a SIPP code is explained, with a picture that needs no token and may be kept', async () => {
    const answer = await client().get(`${VEHICLES}/IFDH`, { headers: { 'accept-language': 'fr' } });
    const { vehicle } = JSON.parse(answer.text);
    expect(vehicle).toMatchObject({ category: { name: 'Intermédiaire' }, fuel: { value: 'hybrid', name: 'Hybride' } });
    const picture = await fetch(new URL(vehicle.image.url, running().gateway.baseUrl));
    expect([picture.status, picture.headers.get('content-type'), picture.headers.get('cache-control')]).toEqual([
      200,
      'image/svg+xml',
      'public, max-age=31536000, immutable',
    ]);
    expect(await picture.text()).toMatch(/^<svg /);
    const none = await fetch(new URL('/images/vehicles/rocket-large.svg', running().gateway.baseUrl));
    expect(none.status).toBe(404);
    expect((await client().get(`${VEHICLES}/EC1R`)).errors[0]).toMatchObject({
      reason: 'invalid_format',
      field: 'sipp_code',
    });
  });

  test('the names of all values are in the requested language; errors stay English', async () => {
    const { names } = JSON.parse((await client().get(VEHICLES, { headers: { 'accept-language': 'es' } })).text);
    expect([names.state.confirmed, names.fuel.petrol]).toEqual(['Confirmada', 'Gasolina']);
    const wrong = await client().get(`${VEHICLES}/1`, { headers: { 'accept-language': 'es' } });
    expect(wrong.errors[0]?.details).toContain('must be four letters');
  });

  test('offers and reservations are the same in every language', async () => {
    const path = `/cars/reservation/v1/${reservation.reservation_id}`;
    const [english, other] = [await client().get(path), await client().get(path, { headers: german })];
    const body = (text: string): string => text.replace(/"request_time":"[^"]*"/, '');
    expect(body(other.text)).toBe(body(english.text));
    expect(other.headers['content-language']).toBeUndefined();
  });
});

describe('vouchers', () => {
  test('of a confirmed reservation, as JSON and as a page without anything from elsewhere', async () => {
    const json = await client().get(voucherOf(reservation));
    expect([json.status, json.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(JSON.parse(json.text).voucher).toMatchObject({
      confirmation_number: reservation.confirmation_number,
      total: reservation.price.total,
      driver: { last_name: reservation.driver?.last_name },
      supplier: { supplier: 'alpine', support_phone: '+41445550102' },
    });
    expect(json.text).not.toContain(reservation.driver?.email ?? 'an address');
    const page = await client().get(voucherOf(reservation), { headers: { ...german, accept: 'text/html' } });
    expect([page.headers['content-type'], page.headers['content-language']]).toEqual([
      'text/html; charset=utf-8',
      'de',
    ]);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'/);
    for (const text of ['Mietwagen-Voucher', reservation.confirmation_number, reservation.client_reference])
      expect(page.text).toContain(text);
  });

  test('of a cancelled, an unknown and another application’s reservation are 404; another Accept is 400', async () => {
    const refused = await client().get(voucherOf(cancelled));
    expect([refused.status, refused.errors[0]?.details]).toEqual([404, expect.stringContaining('"cancelled"')]);
    const token = await client().token('demo-throttled');
    const foreign = await client().get(voucherOf(reservation), { token });
    const unknown = await client().get('/cars/reservation/v1/res_00000000000000000000/voucher');
    expect([foreign.status, foreign.errors]).toEqual([404, unknown.errors]);
    const pdf = await client().get(voucherOf(reservation), { headers: { accept: 'application/pdf' } });
    expect([pdf.status, pdf.errors[0]?.field]).toEqual([400, 'Accept']);
  });

  test('of a renter whose data was erased have no name', async () => {
    const { offer_id } = await offerOf(client(), 'bravo');
    const lastName = fresh('Erased');
    const erased = await booked(client(), { offer_id, driver: driver(lastName) });
    await running().postgres.query('update reservations set personal = null where id = $1', [erased.reservation_id]);
    const page = await client().get(voucherOf(erased), { headers: { accept: 'text/html' } });
    expect([page.status, page.text.includes(lastName)]).toEqual([200, false]);
    expect(page.text).toContain('data was erased');
  });
});

describe('answers that say what to do', () => {
  test('price_changed has the new total as a field, which is accepted as it is', async () => {
    const { offer_id } = await offerOf(client(), 'alpine');
    const [body, scenario] = [{ offer_id, driver: driver(fresh()) }, 'alpine=price(+10%)'];
    const refused = await create(client(), body, { scenario });
    const { total, details } = refused.errors[0] ?? {};
    expect(details).toContain(`${total?.amount} ${total?.currency}`);
    const accepted = await booked(client(), { ...body, accepted_total: total }, { scenario });
    expect(accepted.price.total).toEqual(total);
  });

  test('a change and a cancellation say so; an id in the wrong place is answered with where it belongs', async () => {
    const id = reservation.reservation_id;
    const prefer = { prefer: 'return=representation' };
    const patched = await on(client(), 'PATCH', id, { remark: 'Late' }, { headers: prefer });
    expect(JSON.parse(patched.text).status.success[0].details).toBe('The reservation was changed.');
    for (const method of ['PATCH', 'PUT'] as const) {
      const wrong = await on(client(), method, id, { reservation_id: id, offer_id: 'off_x' });
      const problem = wrong.errors.find(({ field }) => field === 'reservation_id');
      expect(problem?.details).toContain('/cars/reservation/v1/{reservation_id}');
    }
    const query = await client().get('/cars/reservation/v1/?client_reference=a');
    expect(query.errors[0]?.details).toContain('/reservations?client_reference=');
  });
});

test('the commands of docs/content.md and of the voucher run as printed', async () => {
  const { gateway } = running();
  const page = readFileSync(join(PROJECT, 'docs', 'content.md'), 'utf8');
  const more = readFileSync(join(PROJECT, 'docs', 'reservations.md'), 'utf8');
  const blocks = [...`${page}${more}`.matchAll(/<!-- test:([\w-]+) -->\s*```sh\n([\s\S]*?)```/g)];
  expect(blocks.map(([, name]) => name)).toEqual(['suppliers', 'vehicle', 'names', 'voucher']);
  const env = {
    PATH: process.env.PATH ?? '',
    BASE: gateway.baseUrl,
    TOKEN: await client().token(),
    RESERVATION_ID: reservation.reservation_id,
  };
  const script = `set -eu\n${blocks.map(([, , commands]) => commands).join('\n')}\ncat voucher.html`;
  const shell = startChild('bash', ['-c', script], { cwd: gateway.dataFolder, env });
  expect([await shell.exited, shell.output()]).toEqual([0, expect.stringContaining('Mietwagen-Voucher')]);
  for (const text of ['Am Schalter', 'Intermédiaire', 'Gasóleo']) expect(shell.output()).toContain(text);
});
