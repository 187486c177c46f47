// The scenario of the console: what is sent, as chips and in the selects.

const $ = (id) => document.getElementById(id);
const selects = [...document.querySelectorAll('[data-part]')];

/** The parts of a scenario in their order, as name and value. A part without = has no value. */
function partsOf(scenario) {
  const parts = scenario.split(';').flatMap((part) => part.trim() || []);
  return parts.map((part) => [part.split('=', 1)[0].trim(), part.slice(part.indexOf('=') + 1).trim()]);
}

/** A scenario with one part set, or removed if the value is empty. Other parts stay as they are. */
function withPart(scenario, name, value) {
  const parts = new Map(partsOf(scenario));
  if (value === '') parts.delete(name);
  else parts.set(name, value);
  return [...parts].map((part) => part.join('=')).join('; ');
}

/** Shows what is sent. */
export function showScenario() {
  const scenario = $('scenario');
  if (!scenario) return;
  const parts = partsOf(scenario.value);
  const values = new Map(parts);
  for (const select of selects) select.value = values.get(select.dataset.part) ?? '';
  const { value: bearer } = $('authorization');
  const texts = [
    ...parts.map(([name, value]) => `${name}=${value}`),
    ...(bearer === 'token' ? [] : [`Authorization: ${bearer}`]),
  ];
  $('scenario-chips').replaceChildren(
    ...(texts.length > 0 ? texts : ['none']).map((text) => {
      const chip = document.createElement('span');
      chip.textContent = text;
      return chip;
    }),
  );
}

/** Sets a scenario as if it had been typed: the code and the address of the page follow. */
export function setScenario(scenario) {
  $('scenario').value = scenario;
  showScenario();
  $('scenario').dispatchEvent(new Event('change', { bubbles: true }));
}

/** Keeps header, selects and chips the same. */
export function watchScenario() {
  for (const select of selects) {
    select.addEventListener('change', () => {
      $('scenario').value = withPart($('scenario').value, select.dataset.part, select.value);
      showScenario();
    });
  }
  $('scenario')?.addEventListener('input', showScenario);
  $('authorization')?.addEventListener('change', showScenario);
}
