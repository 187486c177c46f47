import { WARNING_KINDS } from '../model/warnings.js';

/** What a kind of warning means (docs/adding-a-supplier.md#warnings); empty for a kind that no longer exists. */
export function warningMeaning(kind: string): string {
  return (WARNING_KINDS as Readonly<Record<string, string>>)[kind] ?? '';
}
