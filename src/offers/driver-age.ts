import type { Problem } from '../status/api-error.js';

/** The youngest and oldest supported driver, in years at pickup. */
const YOUNGEST = 16;
const OLDEST = 99;

/** Age in full years on `date` of a person born on `birth`; both begin with YYYY-MM-DD. */
export function ageOn(date: string, birth: string): number {
  const years = Number(date.slice(0, 4)) - Number(birth.slice(0, 4));
  return date.slice(5, 10) < birth.slice(5, 10) ? years - 1 : years;
}

/** The problem with a driver's age at pickup, if any; `field` is the field with the date of birth. */
export function ageProblem(age: number, field: string): Problem | undefined {
  if (age >= YOUNGEST && age <= OLDEST) return undefined;
  return {
    reason: 'invalid_range',
    field,
    details: `The driver must be ${YOUNGEST} to ${OLDEST} years old at pickup.`,
  };
}
