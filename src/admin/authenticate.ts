import type { IncomingMessage } from 'node:http';
import type { AdminKeys, SignatureProblem, Signer } from '../admin-keys/admin-keys.js';
import { contentDigest, readSignature } from '../admin-keys/message-signature.js';
import { ApiError } from '../status/api-error.js';
import { throttled } from '../status/throttled.js';
import type { UnsignedCalls } from './unsigned-calls.js';

const SIGN = 'Sign the call with a key of gw admin-keys create (docs/admin-api.md).';
const DETAILS: Readonly<Record<SignatureProblem, string>> = {
  unknown: 'The signature is not valid for this call, or there is no such key.',
  revoked: 'The key was revoked.',
  expired: 'The key expired.',
  skewed: "The signature's time is more than 5 minutes from the gateway's. Check the clock of this machine.",
  replayed: 'The call was sent before: sign every call again, with its own nonce.',
};

/** A call whose body was read. */
export interface ReadCall {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  /** IP address of the client. */
  readonly address: string;
}

/** Returns who signed a call. Throws ApiError: 401, or 429 after too many calls without a valid signature. */
export async function authenticate(
  { request, body, address }: ReadCall,
  keys: Pick<AdminKeys, 'accept'>,
  attempts: UnsignedCalls,
): Promise<Signer> {
  refuseTooMany(address, attempts);
  const { method = '', url: target = '', headers } = request;
  const input = headers['signature-input'];
  const { signature, 'content-digest': digest } = headers;
  if (typeof input !== 'string' || typeof signature !== 'string' || typeof digest !== 'string')
    throw refused(attempts, address, 'required', `The call isn't signed. ${SIGN}`);
  const received = readSignature(input, signature);
  if (!received) throw refused(attempts, address, 'authentication_failure', `The signature isn't readable. ${SIGN}`);
  if (digest !== contentDigest(body))
    throw refused(attempts, address, 'authentication_failure', "Content-Digest isn't the SHA-256 of the body.");
  const accepted = await keys.accept({ method, target, contentDigest: digest }, received);
  if (typeof accepted === 'string') throw refused(attempts, address, 'authentication_failure', DETAILS[accepted]);
  return accepted;
}

/** Throws ApiError 429 for an address with too many failures. */
export function refuseTooMany(address: string, attempts: UnsignedCalls): void {
  const seconds = attempts.waitSeconds(address);
  if (seconds === 0) return;
  throw throttled(seconds, 'Too many calls without a valid signature.', `Wait ${seconds} s.`);
}

function refused(
  attempts: UnsignedCalls,
  address: string,
  reason: 'required' | 'authentication_failure',
  details: string,
): ApiError {
  attempts.add(address);
  return ApiError.of(reason, details, { headers: { 'www-authenticate': 'Signature realm="admin"' } });
}
