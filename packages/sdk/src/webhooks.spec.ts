import { expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from './webhooks.js';

const secretOf = (text: string) => `whsec_${Buffer.from(text.padEnd(24, '.')).toString('base64')}`;
const [SECRET, OTHER] = [secretOf('first'), secretOf('second')];
const BODY = JSON.stringify({ type: 'reservation.confirmed', timestamp: '', data: { reservation_id: 'rés_1' } });

/** A request as the reference implementation signs it, so many seconds from now. */
function signed(secret = SECRET, seconds = 0, body = BODY) {
  const at = new Date(Date.now() + seconds * 1_000);
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}` };
  return { body, headers: { ...headers, 'webhook-signature': new Webhook(secret).sign('evt_1', at, body) } };
}
const reasonOf = (request: Parameters<typeof verifyWebhook>[0], secrets: string | string[] = SECRET) =>
  verifyWebhook(request, secrets).then(
    () => 'valid',
    ({ reason }) => reason,
  );

it('accepts what the reference implementation signs, as text, bytes or Headers, with any of several secrets', async () => {
  const request = signed();
  expect(await verifyWebhook(request, SECRET)).toEqual({ id: 'evt_1', event: JSON.parse(BODY) });
  expect(await reasonOf({ body: Buffer.from(BODY), headers: new Headers(request.headers) })).toBe('valid');
  expect(await reasonOf(request, [OTHER, SECRET])).toBe('valid');
  const both = `v1a,AAAA v1,!! ${signed(OTHER).headers['webhook-signature']} ${request.headers['webhook-signature']}`;
  expect(await reasonOf({ ...request, headers: { ...request.headers, 'webhook-signature': both } })).toBe('valid');
});

it('refuses everything else', async () => {
  const request = signed();
  const having = (name: string, value: string) => ({ ...request, headers: { ...request.headers, [name]: value } });
  expect(await reasonOf(request, OTHER)).toBe('invalid_signature');
  expect(await reasonOf(request, [])).toBe('invalid_signature');
  expect(await reasonOf({ ...request, body: `${BODY} ` })).toBe('invalid_signature');
  expect(await reasonOf(having('webhook-id', 'evt_2'))).toBe('invalid_signature');
  expect(await reasonOf(having('webhook-signature', 'v1,AAAA'))).toBe('invalid_signature');
  expect(await reasonOf(having('webhook-signature', ''))).toBe('missing_header');
  expect(await reasonOf(having('webhook-timestamp', '1e9'))).toBe('invalid_timestamp');
  expect(await reasonOf(signed(SECRET, -310))).toBe('expired');
  expect(await reasonOf(signed(SECRET, 310))).toBe('expired');
  expect(await reasonOf(signed(SECRET, -280))).toBe('valid');
  expect(await reasonOf(signed(SECRET, 0, 'no JSON'))).toBe('invalid_body');
});
