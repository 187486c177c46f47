import { DIRECTIVES } from '../../sandbox/directive.js';
import { GATEWAY_FAULTS, MAGIC_PLACE_RULES } from '../../sandbox/scenario.js';

interface ScenarioPickerProps {
  /** Supplier ids, in call order. */
  readonly suppliers: readonly string[];
  /** Initial value of X-Sandbox-Scenario. */
  readonly scenario: string;
  /** One of AUTHORIZATIONS. */
  readonly authorization: string;
}

/** Values of the Authorization header for operations that take a token. */
export const AUTHORIZATIONS: readonly (readonly [value: string, label: string])[] = [
  ['token', "The application's token"],
  ['wrong', 'An invalid token'],
  ['scheme', 'A different scheme (Basic)'],
  ['none', 'None'],
];

/** Failures to simulate, in one line until it is opened. The selects write the header value, which can also be edited. */
export function ScenarioPicker({ suppliers, scenario, authorization }: ScenarioPickerProps) {
  const verbs = DIRECTIVES.map(({ example }) => example);
  const part = (name: string, label: string, values: readonly string[]) => (
    <Choice
      key={name}
      id={`scenario-${name}`}
      name={name}
      label={label}
      options={values.map((value) => [value, value])}
    />
  );
  return (
    <details class="scenario" id="scenario-picker">
      <summary>
        Simulate a failure <span id="scenario-chips" class="chips" />
      </summary>
      <p class="hint">Make simulated suppliers or the gateway fail to see what your application would receive.</p>
      <div class="field">
        <label for="scenario">X-Sandbox-Scenario</label>
        <p class="hint" id="scenario-hint">
          Sent with every operation that calls suppliers. Leave empty for no failures.{' '}
          <a href="/docs/sandbox#the-scenario-header">Header format</a>
        </p>
        <input
          id="scenario"
          type="text"
          value={scenario}
          autocomplete="off"
          spellcheck={false}
          aria-describedby="scenario-hint"
        />
      </div>
      <div class="fields" data-scenario-parts>
        {suppliers.map((supplier) => part(supplier, supplier, verbs))}
        {part('*', 'All other suppliers', verbs)}
        {part('fault', 'Gateway', Object.keys(GATEWAY_FAULTS))}
      </div>
      <div class="fields">
        <Choice
          id="magic-place"
          label="Place that triggers a failure"
          options={Object.entries(MAGIC_PLACE_RULES).map(([place, { meaning }]) => [place, `${place}: ${meaning}`])}
        />
        <Choice id="authorization" label="Authorization" options={AUTHORIZATIONS} value={authorization} />
      </div>
    </details>
  );
}

/** Buttons that send the chosen operation with a scenario, or a search if it takes none. */
export function ScenarioExamples({ suppliers }: { readonly suppliers: readonly string[] }) {
  return (
    <p class="chips">
      <span>Send with a failure:</span>
      {[...suppliers.slice(0, 8).map((supplier) => `${supplier}=timeout`), '*=empty'].map((example) => (
        <button key={example} type="button" class="second small" data-scenario={example}>
          {example}
        </button>
      ))}
    </p>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly name?: string;
  /** Undefined: starts with an empty option. */
  readonly value?: string;
}

function Choice({ id, label, options, name, value }: ChoiceProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} data-part={name} value={value ?? ''}>
        {value === undefined && <option value="">–</option>}
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
