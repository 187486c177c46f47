import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../accounts/password-rules.js';
import { Field, type FormState } from '../shell/field.js';

/** The field for a new password, with its rules. */
export function NewPasswordField({ state, label = 'New password' }: { state: FormState; label?: string }) {
  return (
    <Field
      state={state}
      name="new_password"
      type="password"
      label={label}
      autocomplete="new-password"
      hint={`${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters of any kind. Several unrelated words are easy to remember.`}
    />
  );
}
