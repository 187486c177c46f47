import { ChangeRefused } from '../../auth/change-refused.js';
import type { Answer } from '../../http/answer.js';
import type { FormState } from '../shell/field.js';
import type { Typed } from '../shell/form.js';

/** Runs `work`. If a rule rejects the change, `again` shows the form with the problem at its field. */
export async function carryOut(
  typed: Typed,
  work: () => Promise<Answer>,
  again: (state: FormState) => Answer | Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error;
    return await again({ typed, problems: { [error.field]: error.message } });
  }
}
