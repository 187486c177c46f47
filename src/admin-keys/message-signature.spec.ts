import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { httpbis } from 'http-message-signatures';
import { contentDigest, isSignedBy, readSignature, signCall } from './message-signature.js';

const pair = generateKeyPairSync('ed25519');
const privateKey = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const publicKey = createPublicKey(pair.privateKey).export({ format: 'jwk' }).x ?? '';
const body = Buffer.from('{"state":"drain"}');
const call = { method: 'PUT', target: '/admin/v1/suppliers/bravo/state?a=b%20c', contentDigest: contentDigest(body) };
const signed = () => signCall(call, body, { keyId: 'adk_1', privateKey });
const FIELDS = ['@method', '@path', '@query', 'content-digest'];

it('a signed call is read and verified', () => {
  const headers = signed();
  const read = readSignature(headers['signature-input'], headers.signature);
  expect(read).toMatchObject({ keyId: 'adk_1', expires: undefined });
  expect(read && isSignedBy(publicKey, call, read)).toBe(true);
});

it.each([
  ['method', { ...call, method: 'POST' }],
  ['path', { ...call, target: '/admin/v1/suppliers/alpine/state?a=b%20c' }],
  ['query', { ...call, target: '/admin/v1/suppliers/bravo/state?a=b' }],
  ['body', { ...call, contentDigest: contentDigest(Buffer.from('{"state":"off"}')) }],
])('a signature is wrong for another %s', (_part, other) => {
  const headers = signed();
  const read = readSignature(headers['signature-input'], headers.signature);
  expect(read && isSignedBy(publicKey, other, read)).toBe(false);
});

it('a signature is wrong with another time, nonce or key', () => {
  const headers = signed();
  const inputs = [/created=\d/, /nonce="./, /keyid="adk_1/].map((part) =>
    headers['signature-input'].replace(part, (text) => `${text.slice(0, -1)}${text.endsWith('9') ? '8' : '9'}`),
  );
  for (const input of inputs) {
    const read = readSignature(input, headers.signature);
    expect(read && isSignedBy(publicKey, call, read)).toBe(false);
  }
});

it.each([
  ['fewer components', (input: string) => input.replace(' "content-digest"', '')],
  ['a component with a parameter', (input: string) => input.replace('"@method"', '"@method";req')],
  ['no time', (input: string) => input.replace(/;created=\d+/, '')],
  ['a time that is a text', (input: string) => input.replace(/created=(\d+)/, 'created="$1"')],
  ['two times', (input: string) => input.replace(/(;created=\d+)/, '$1$1')],
  ['no nonce', (input: string) => input.replace(/;nonce="[^"]+"/, '')],
  ['a short nonce', (input: string) => input.replace(/nonce="[^"]+"/, 'nonce="short"')],
  ['another algorithm', (input: string) => input.replace('ed25519', 'hmac-sha256')],
  ['two signatures', (input: string) => `${input}, ${input.replace('sig=', 'other=')}`],
  ['another label', (input: string) => input.replace('sig=', 'other=')],
])('a signature with %s is not read', (_what, change) => {
  const headers = signed();
  expect(readSignature(change(headers['signature-input']), headers.signature)).toBeUndefined();
});

it('a call that a library for RFC 9421 signed is verified, and the library verifies ours', async () => {
  const message = {
    method: call.method,
    url: `https://gateway.example.com${call.target}`,
    headers: { 'content-digest': call.contentDigest },
  };
  const key = { id: 'adk_1', alg: 'ed25519', sign: async (data: Buffer) => sign(null, data, pair.privateKey) };
  const signedByLibrary = await httpbis.signMessage(
    {
      ...{ key, fields: FIELDS, params: ['created', 'expires', 'nonce', 'keyid', 'alg'] },
      paramValues: { nonce: 'a-nonce-of-the-library' },
    },
    message,
  );
  const headers: Readonly<Record<string, unknown>> = signedByLibrary.headers;
  const read = readSignature(String(headers['Signature-Input']), String(headers.Signature));
  expect(read && isSignedBy(publicKey, call, read)).toBe(true);
  const { verify } = await import('node:crypto');
  const verified = httpbis.verifyMessage(
    {
      keyLookup: async () => ({ verify: async (data, signature) => verify(null, data, pair.publicKey, signature) }),
      requiredFields: FIELDS,
    },
    { ...message, headers: { ...signed() } },
  );
  await expect(verified).resolves.toBe(true);
});
