import { createHash, createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto';

/**
 * The signature of a call of the admin API: HTTP Message Signatures (RFC 9421) with Ed25519 over the method, path, query
 * and Content-Digest (RFC 9530). Only this list of components is accepted, in this order, so that no part of a call can be
 * left out and nothing else must be parsed (decision 0058).
 */
const COMPONENTS = '("@method" "@path" "@query" "content-digest")';

/** An integer, or a short text without escapes. */
const PARAMETER = /^([a-z]{1,20})=(?:(\d{1,12})|"([\w-]{1,128})")$/;
const LABEL = /^[a-z]\w{0,20}$/;
const SIGNATURE = /^([a-z]\w{0,20})=:([A-Za-z0-9+/]{86}==):$/;
const NONCE = /^[\w-]{16,64}$/;

/** What is signed of a call. */
export interface SignedCall {
  readonly method: string;
  /** Path with query, as sent. */
  readonly target: string;
  readonly contentDigest: string;
}

/** The headers that a signature adds to a call. */
export type SignatureHeaders = Readonly<Record<'content-digest' | 'signature-input' | 'signature', string>>;

/** A signature as it was received; not verified yet. */
export interface ReceivedSignature {
  readonly keyId: string;
  /** Unix seconds. */
  readonly created: number;
  /** Unix seconds; undefined if the caller set no end. */
  readonly expires: number | undefined;
  readonly nonce: string;
  /** The value of Signature-Input without its label. */
  readonly input: string;
  readonly signature: Buffer;
}

/** The value of Content-Digest for a body, which may be empty. */
export function contentDigest(body: Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}

/** Signs a call now with a PKCS #8 private key in PEM. Throws an Error for another text. */
export function signCall(
  { method, target }: Pick<SignedCall, 'method' | 'target'>,
  body: Uint8Array,
  { keyId, privateKey }: { readonly keyId: string; readonly privateKey: string },
): SignatureHeaders {
  const digest = contentDigest(body);
  const nonce = randomBytes(18).toString('base64url');
  const created = Math.floor(Date.now() / 1_000);
  const input = `${COMPONENTS};created=${created};keyid="${keyId}";alg="ed25519";nonce="${nonce}"`;
  const base = signatureBase({ method, target, contentDigest: digest }, input);
  const signature = sign(null, Buffer.from(base), createPrivateKey(privateKey)).toString('base64');
  return { 'content-digest': digest, 'signature-input': `sig=${input}`, signature: `sig=:${signature}:` };
}

/** Reads both headers. Undefined if they aren't exactly one signature with `created`, `keyid`, `nonce` and Ed25519. */
export function readSignature(signatureInput: string, signature: string): ReceivedSignature | undefined {
  const at = signatureInput.indexOf('=');
  const [label, input] = [signatureInput.slice(0, at), signatureInput.slice(at + 1)];
  const [, ownLabel, value] = SIGNATURE.exec(signature) ?? [];
  if (!LABEL.test(label) || label !== ownLabel || value === undefined || !input.startsWith(COMPONENTS))
    return undefined;
  const [rest, ...words] = input.slice(COMPONENTS.length).split(';');
  const parameters = new Map<string, string>();
  for (const word of words) {
    const [, name, number, text] = PARAMETER.exec(word) ?? [];
    if (name === undefined || parameters.has(name)) return undefined;
    parameters.set(name, number ?? `"${text}`);
  }
  if (rest !== '') return undefined;
  const [created, expires] = [numberIn(parameters, 'created'), numberIn(parameters, 'expires')];
  const [keyId, nonce] = [textIn(parameters, 'keyid'), textIn(parameters, 'nonce')];
  const algorithm = textIn(parameters, 'alg') ?? 'ed25519';
  if (created === undefined || keyId === undefined || nonce === undefined) return undefined;
  if (!NONCE.test(nonce) || algorithm !== 'ed25519' || (parameters.has('expires') && expires === undefined))
    return undefined;
  return { keyId, created, expires, nonce, input, signature: Buffer.from(value, 'base64') };
}

/** Whether the owner of a public key (raw, base64url) signed the call. */
export function isSignedBy(publicKey: string, call: SignedCall, { input, signature }: ReceivedSignature): boolean {
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  return verify(null, Buffer.from(signatureBase(call, input)), key, signature);
}

/** RFC 9421 §2.5. */
function signatureBase({ method, target, contentDigest: digest }: SignedCall, input: string): string {
  const at = target.indexOf('?');
  const [path, query] = at === -1 ? [target, '?'] : [target.slice(0, at), target.slice(at)];
  return [
    `"@method": ${method}`,
    `"@path": ${path}`,
    `"@query": ${query}`,
    `"content-digest": ${digest}`,
    `"@signature-params": ${input}`,
  ].join('\n');
}

function numberIn(parameters: ReadonlyMap<string, string>, name: string): number | undefined {
  const value = parameters.get(name);
  return value === undefined || value.startsWith('"') ? undefined : Number(value);
}

function textIn(parameters: ReadonlyMap<string, string>, name: string): string | undefined {
  const value = parameters.get(name);
  return value?.startsWith('"') ? value.slice(1) : undefined;
}
