import { z } from 'zod';
import { passwordProblem } from '../../accounts/password-rules.js';
import { UNSEEN } from '../../http/fields.js';

const NAME = 'Enter a name of 1 to 80 characters on one line.';
const EMAIL = 'Enter an email address such as ada@example.com.';
const ENTER_CODE = 'Enter the 6-digit code from your authenticator app or a recovery code.';
const CHOOSE = 'Choose a password.';

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
export const signUpForm = z.object({ name, email });

/** The form behind an activation link to this address. */
export function activationForm(address: string) {
  return z.object({ name, new_password: z.string(CHOOSE) }).superRefine((values, context) => {
    const problem = passwordProblem(values.new_password, { name: values.name, email: address });
    if (problem !== undefined) context.addIssue({ code: 'custom', path: ['new_password'], message: problem });
  });
}

/** A form that requests an email. */
export const emailForm = z.object({ email });

export const logInForm = z.object({ email, password: givenPassword, next });

/** `code`: of the authenticator app, or a recovery code. */
export const codeForm = z.object({ code: z.string(ENTER_CODE).trim().min(1, ENTER_CODE).max(100, ENTER_CODE), next });

/** The form that turns the second factor on. `offer`: as sealed by SecondFactors. */
export const enrollForm = codeForm.extend({ offer: z.string().catch('') });

export const confirmForm = z.object({ password: givenPassword, next });

export const nameForm = z.object({ name, name_password: givenPassword });

/** The form behind a reset link. `revoke`: also the credentials of the account's applications. */
export function resetForm(owner: { name: string; email: string }) {
  return z.object({ new_password: newPassword(owner), revoke: z.literal('yes').optional() });
}

/** A form that changes the password of a logged-in visitor. */
export function changePasswordForm(owner: { name: string; email: string }) {
  return z.object({ password: givenPassword, new_password: newPassword(owner) });
}

function newPassword(owner: { name: string; email: string }) {
  return z.string(CHOOSE).superRefine((password, context) => {
    const problem = passwordProblem(password, owner);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
}
