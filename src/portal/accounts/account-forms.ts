import { z } from 'zod';
import { passwordProblem } from '../../accounts/password-rules.js';
import { UNSEEN } from '../../http/fields.js';

const NAME = 'Give a name of 1 to 80 characters, on one line.';
const EMAIL = 'Give an e-mail address such as ada@example.com.';

const name = z
  .string(NAME)
  .trim()
  .min(1, NAME)
  .max(80, NAME)
  .refine((text) => !UNSEEN.test(text), NAME);
const email = z.string(EMAIL).trim().toLowerCase().max(254, EMAIL).pipe(z.email(EMAIL));
/** Longer ones are nobody's; they would only cost time. */
const givenPassword = z
  .string('Give your password.')
  .min(1, 'Give your password.')
  .max(1_000, 'This is not your password.');
const next = z.string().optional();

/** The form of the sign-up page. */
export const signUpForm = z
  .object({ name, email, password: z.string('Choose a password.') })
  .superRefine((values, context) => {
    const problem = passwordProblem(values.password, values);
    if (problem !== undefined) context.addIssue({ code: 'custom', path: ['password'], message: problem });
  });

/** A form that asks for a mail. */
export const emailForm = z.object({ email });

export const logInForm = z.object({ email, password: givenPassword, next });

export const confirmForm = z.object({ password: givenPassword, next });

export const nameForm = z.object({ name, name_password: givenPassword });

/** A form that sets a password of an account. */
export function newPasswordForm(owner: { name: string; email: string }) {
  return z.object({ new_password: newPassword(owner) });
}

/** The same for somebody who is logged in. */
export function changePasswordForm(owner: { name: string; email: string }) {
  return z.object({ password: givenPassword, new_password: newPassword(owner) });
}

function newPassword(owner: { name: string; email: string }) {
  return z.string('Choose a password.').superRefine((password, context) => {
    const problem = passwordProblem(password, owner);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
}
