import type { ComponentChildren } from 'preact';
import type { Typed } from './form.js';

/** What a form shows after a failed submission. */
export interface FormState {
  readonly typed?: Typed;
  /** One sentence per field; `form` is for the form itself. */
  readonly problems?: Readonly<Record<string, string>>;
}

interface FieldProps {
  readonly state: FormState;
  readonly name: string;
  /** Default: the name. Must be unique on the page. */
  readonly id?: string;
  readonly label: string;
  /** Default text. */
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'search' | 'datetime-local' | 'textarea';
  readonly autocomplete?: string;
  readonly hint?: ComponentChildren;
  readonly value?: string;
  readonly isOptional?: boolean;
  readonly maxLength?: number;
}

/** A labeled field with its hint and problem, both announced by screen readers. */
export function Field({
  state,
  name,
  id = name,
  label,
  type = 'text',
  autocomplete,
  hint,
  value,
  isOptional = false,
  maxLength,
}: FieldProps) {
  const problem = state.problems?.[name];
  const describedBy = [hint !== undefined && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  const shared = {
    id,
    name,
    required: !isOptional,
    autocomplete,
    maxLength,
    'aria-invalid': problem ? ('true' as const) : undefined,
    'aria-describedby': describedBy || undefined,
  };
  const text = state.typed?.[name] ?? value ?? '';
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="quiet"> (optional)</span>}
      </label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {type === 'textarea' ? (
        <textarea {...shared} rows={3} value={text} />
      ) : (
        // preact has one type per kind of input; these are all text inputs.
        <input {...shared} type={type as 'text'} value={type === 'password' ? '' : text} />
      )}
    </div>
  );
}

/** Says above a form that it wasn't saved, and why if no single field is the cause. */
export function FormProblem({ state }: { state: FormState }) {
  if (!state.problems || Object.keys(state.problems).length === 0) return null;
  return (
    <p class="refusal" role="alert">
      {state.problems.form ?? "Fix the highlighted fields. Your changes weren't saved."}
    </p>
  );
}
