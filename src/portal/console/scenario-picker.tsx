import { DIRECTIVES } from '../../sandbox/directive.js';
import { GATEWAY_FAULTS, MAGIC_PLACE_RULES } from '../../sandbox/scenario.js';

interface ScenarioPickerProps {
  /** Ids, in the order in which they are asked. */
  readonly suppliers: readonly string[];
  /** Text of X-Sandbox-Scenario to begin with. */
  readonly scenario: string;
  /** One of AUTHORIZATIONS. */
  readonly authorization: string;
}

/** What goes into the Authorization header of operations that take a token. */
export const AUTHORIZATIONS: readonly (readonly [value: string, label: string])[] = [
  ['token', "the application's token"],
  ['wrong', 'a wrong token'],
  ['scheme', 'another scheme (Basic)'],
  ['none', 'nothing'],
];

/** What shall go wrong: the selects write the text of the header, which may also be typed. */
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
    <fieldset>
      <legend>What shall go wrong</legend>
      <p class="hint">
        Makes the simulated suppliers or the gateway fail as you choose, so that you see what your application will get.
      </p>
      <div class="field">
        <label for="scenario">X-Sandbox-Scenario</label>
        <p class="hint" id="scenario-hint">
          Sent with every operation of suppliers. Empty = all behave.{' '}
          <a href="/docs/sandbox#the-scenario-header">What it can say</a>
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
      <details open={scenario === ''}>
        <summary>Pick suppliers, faults, places</summary>
        <div class="fields" data-scenario-parts>
          {suppliers.map((supplier) => part(supplier, supplier, verbs))}
          {part('*', 'all others', verbs)}
          {part('fault', 'the gateway itself', Object.keys(GATEWAY_FAULTS))}
        </div>
        <div class="fields">
          <Choice
            id="magic-place"
            label="A place that goes wrong"
            options={Object.entries(MAGIC_PLACE_RULES).map(([place, { meaning }]) => [place, `${place}: ${meaning}`])}
          />
          <Choice id="authorization" label="Authorization" options={AUTHORIZATIONS} value={authorization} />
        </div>
      </details>
      <datalist id="places">
        {Object.entries(MAGIC_PLACE_RULES).map(([place, { meaning }]) => (
          <option key={place} value={place}>
            {meaning}
          </option>
        ))}
      </datalist>
    </fieldset>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly name?: string;
  /** Undefined = an empty choice stands first. */
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
