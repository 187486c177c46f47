import type { OwnApplication } from '../../auth/own-applications.js';

/** The id of the chosen application, or the ids of all if the choice is empty or not the visitor's own. */
export function chosenIds(own: readonly OwnApplication[], chosen: string | undefined): readonly string[] {
  const found = own.find(({ id }) => id === chosen);
  return found ? [found.id] : own.map(({ id }) => id);
}

/** The applications as options of a filter. */
export function applicationOptions(
  own: readonly OwnApplication[],
): readonly (readonly [value: string, text: string])[] {
  return own.map(({ id, name, environment }) => [id, `${name} (${environment})`]);
}
