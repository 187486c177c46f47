// The list of the console's operations.

const list = document.getElementById('operations');
const choices = [...document.querySelectorAll('nav [data-show]')];
/** Whether the list has a column of its own, as in console.css. In narrower windows, it is closed until it is needed. */
const isWide = matchMedia('(min-width: 56rem)');

/** Marks the chosen operation, and closes a list that is above the form. */
export function markOperation(id, title) {
  for (const link of choices) {
    link.tabIndex = link.dataset.show === id ? 0 : -1;
    if (link.dataset.show === id) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  document.getElementById('operations-chosen').textContent = title;
  list.open = isWide.matches;
}

isWide.addEventListener('change', () => {
  list.open = isWide.matches;
});

// The list is one stop of the Tab key; the arrows go through it.
list.addEventListener('keydown', (event) => {
  const steps = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };
  const position = choices.indexOf(event.target) + steps[event.key];
  if (Number.isNaN(position)) return;
  event.preventDefault();
  choices[Math.max(0, Math.min(choices.length - 1, position))].focus();
});
