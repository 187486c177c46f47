import type { Coding } from './accepted-coding.js';

/** What was or is being compressed of bytes that many responses share. */
const shared = new WeakMap<Buffer, Map<Coding, Promise<Buffer | undefined>>>();

/**
 * The bytes of a document that many responses share: clients that don't read it occupy no memory, and it is compressed once per
 * coding.
 */
export function sharedBytes(text: string): Buffer {
  const bytes = Buffer.from(text);
  shared.set(bytes, new Map());
  return bytes;
}

/**
 * The bytes in a coding: what `compress` resolves with, for shared bytes that of an earlier call. What fails or resolves with
 * undefined isn't kept.
 */
export function formOf(
  bytes: Buffer,
  coding: Coding,
  compress: (isShared: boolean) => Promise<Buffer | undefined>,
): Promise<Buffer | undefined> {
  const forms = shared.get(bytes);
  if (!forms) return compress(false);
  const known = forms.get(coding);
  if (known) return known;
  const made = compress(true);
  forms.set(coding, made);
  const forget = (): void => void forms.delete(coding);
  made.then((form) => form ?? forget(), forget);
  return made;
}
