import { findMutant, MUTANTS } from './mutants.js';

/**
 * `npm run proof:booking:mutants [-- <bookings> <part of a name>]`: exits with 0 only if the proof finds every removed
 * defense.
 */

const bookings = Number(process.argv[2] ?? 400);
let missed = 0;
const part = process.argv[3] ?? '';
for (const mutant of MUTANTS.filter(({ name }) => name.includes(part))) {
  const { violations } = await findMutant(mutant, bookings);
  missed += violations === 0 ? 1 : 0;
  console.log(`${violations === 0 ? 'MISSED' : 'found '}  ${mutant.name}: ${violations} violations`);
}
process.exitCode = missed > 0 ? 1 : 0;
