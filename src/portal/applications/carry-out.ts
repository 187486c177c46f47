import { ChangeRefused } from '../../auth/change-refused.js';
import type { Answer } from '../../http/answer.js';
import type { FormState } from '../shell/field.js';
import type { Typed } from '../shell/form.js';

/** Does what a form asks for; what the rules do not allow is shown by `again`, with the problem at its field. */
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
