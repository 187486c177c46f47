import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { areaPage } from './area-page.js';
import { LONGEST_NAME, LONGEST_TEXT } from './forms.js';

/** The form that creates an application. */
export function newPage(visitor: Visitor, state: FormState): Answer {
  return areaPage(
    { title: 'New application', visitor, isRefused: state.problems !== undefined },
    <>
      <h1>New application</h1>
      <p>The application is created in the sandbox. You'll see its credentials next.</p>
      <FormProblem state={state} />
      <form method="post" action="/applications" class="stack">
        <Field state={state} name="name" label="Name" autocomplete="off" maxLength={LONGEST_NAME} />
        <Field
          state={state}
          name="description"
          label="Description"
          type="textarea"
          hint="What it does and who uses it."
          isOptional
          maxLength={LONGEST_TEXT}
        />
        <p class="actions">
          <button type="submit">Create</button>
          <a href="/applications">Cancel</a>
        </p>
      </form>
    </>,
  );
}
