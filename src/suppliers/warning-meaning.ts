import { WARNING_KINDS } from '../model/warnings.js';

/** What a kind of warning means (docs/supplier-states.md#warnings); empty for a kind that no longer exists. */
export function warningMeaning(kind: string): string {
  return (WARNING_KINDS as Readonly<Record<string, string>>)[kind] ?? '';
}
