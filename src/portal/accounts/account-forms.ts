import { z } from 'zod';
import { passwordProblem } from '../../accounts/password-rules.js';
import { UNSEEN } from '../../http/fields.js';

const NAME = 'Enter a name of 1 to 80 characters on one line.';
const EMAIL = 'Enter an email address such as ada@example.com.';

const name = z
  .string(NAME)
  .trim()
  .min(1, NAME)
  .max(80, NAME)
  .refine((text) => !UNSEEN.test(text), NAME);
const email = z.string(EMAIL).trim().toLowerCase().max(254, EMAIL).pipe(z.email(EMAIL));
/** No stored password is longer; hashing such input would only cost time. */
const givenPassword = z
  .string('Enter your password.')
  .min(1, 'Enter your password.')
  .max(1_000, 'The password is incorrect.');
const next = z.string().optional();

/** The form of the sign-up page. */
export const signUpForm = z
  .object({ name, email, password: z.string('Choose a password.') })
  .superRefine((values, context) => {
    const problem = passwordProblem(values.password, values);
    if (problem !== undefined) context.addIssue({ code: 'custom', path: ['password'], message: problem });
  });

/** A form that requests an email. */
export const emailForm = z.object({ email });

export const logInForm = z.object({ email, password: givenPassword, next });

export const confirmForm = z.object({ password: givenPassword, next });

export const nameForm = z.object({ name, name_password: givenPassword });

/** A form that sets an account's password. */
export function newPasswordForm(owner: { name: string; email: string }) {
  return z.object({ new_password: newPassword(owner) });
}

/** A form that changes the password of a logged-in visitor. */
export function changePasswordForm(owner: { name: string; email: string }) {
  return z.object({ password: givenPassword, new_password: newPassword(owner) });
}

function newPassword(owner: { name: string; email: string }) {
  return z.string('Choose a password.').superRefine((password, context) => {
    const problem = passwordProblem(password, owner);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
}
