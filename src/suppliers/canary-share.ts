import { createHash } from 'node:crypto';

/** Whether a search belongs to the share of a supplier in canary, in percent. */
export type InShare = (supplier: string, percent: number) => boolean;

/**
 * Decides by the application and its question, so that the same search always has the same answer, on every gateway. Who
 * belongs to a share belongs to every larger one; two suppliers share nothing but chance. `question` is called only if a
 * supplier is in canary.
 */
export function shareOf(applicationId: string, question: () => string): InShare {
  return (supplier, percent) => {
    const digest = createHash('sha256')
      .update(JSON.stringify([supplier, applicationId, question()]))
      .digest();
    return digest.readUInt32BE() < (percent / 100) * 2 ** 32;
  };
}
