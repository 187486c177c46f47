import type { OwnApplication } from '../../auth/own-applications.js';

/** The ids of the application chosen, or of all where none or none of the visitor's own is. */
export function chosenIds(own: readonly OwnApplication[], chosen: string | undefined): readonly string[] {
  const found = own.find(({ id }) => id === chosen);
  return found ? [found.id] : own.map(({ id }) => id);
}
