import { readFileSync, statSync } from 'node:fs';

/** Far more than a password, token or private key needs. */
const MOST_BYTES = 16_384;

/**
 * The secret in a file, without its trailing line break, or `why` it can't be used, as the rest of a sentence that begins
 * with the file. Never quotes the content.
 */
export function secretIn(file: string): { readonly secret?: string; readonly why?: string } {
  try {
    const found = statSync(file);
    // Reading a pipe or a device could block the gateway.
    if (!found.isFile()) return { why: 'is not a regular file' };
    if (found.size > MOST_BYTES) return { why: `is larger than ${MOST_BYTES} bytes` };
    const secret = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)).replace(/\r?\n$/, '');
    return secret === '' ? { why: 'is empty' } : { secret };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { why: 'does not exist' };
    return { why: code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8 text' : `cannot be read: ${code}` };
  }
}
