import type { Problem } from '../status/api-error.js';

/** The youngest and oldest driver that is searched for, in years at pickup. */
const YOUNGEST = 16;
const OLDEST = 99;

/** Full years on `date` of who was born on `birth`; both begin with YYYY-MM-DD. */
export function ageOn(date: string, birth: string): number {
  const years = Number(date.slice(0, 4)) - Number(birth.slice(0, 4));
  return date.slice(5, 10) < birth.slice(5, 10) ? years - 1 : years;
}

/** What is wrong with the age at pickup of a driver whose date of birth stands in `field`; undefined = nothing. */
export function ageProblem(age: number, field: string): Problem | undefined {
  if (age >= YOUNGEST && age <= OLDEST) return undefined;
  return {
    reason: 'invalid_range',
    field,
    details: `The driver must be ${YOUNGEST} to ${OLDEST} years old at pickup.`,
  };
}
