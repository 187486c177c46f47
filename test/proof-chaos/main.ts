import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.js';
import { CELLS, type Cell } from './cells.js';
import { findings, judgeLedger, type Observed } from './judge.js';
import { ChaosPlay } from './proof.js';
import { startWorld } from './world.js';

/** `npm run proof:chaos -- --only "PostgreSQL half-open" --out chaos.json`: docs/chaos.md. Exits with 1 if not proven. */

const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, out: { type: 'string' } } });
const nameOf = ({ part, fault, operation }: Cell): string => `${part} ${fault} ${operation}`;
const cells = CELLS.filter((cell) => nameOf(cell).includes(values.only));
const world = await startWorld(await startPostgres());
const rows: { readonly cell: Cell; readonly observed: Observed; readonly found: readonly string[] }[] = [];
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`.padStart(8);
try {
  const play = await ChaosPlay.of(world);
  for (const cell of cells) {
    const observed = await play.play(cell);
    const found = findings(cell, observed);
    rows.push({ cell, observed, found });
    const { answer, ms, recoveredMs, aftermath } = observed;
    const then = aftermath ? `${aftermath.bookings} booked, ${aftermath.state}, again ${aftermath.again}` : '';
    console.log(
      `${nameOf(cell).padEnd(32)} ${answer.padEnd(28)} ${seconds(ms)}, works again after ${seconds(recoveredMs)} ${then}`,
    );
    for (const line of found) console.log(`  ${line}`);
  }
  const ledger = judgeLedger(await world.books(), await world.reservations());
  const exitCode = await world.stop();
  const wrong = rows.filter(({ found }) => found.length > 0).length;
  const counts = Object.entries(ledger).map(([name, list]) => `${name}: ${list.length}`);
  const isWhole = Object.values(ledger).every((list) => list.length === 0);
  const isProven = cells.length > 0 && wrong === 0 && isWhole && exitCode === 0;
  console.log(
    `${cells.length} of ${CELLS.length} cells, ${wrong} other than expected; bookings ${counts.join(', ')}; exit code ${exitCode}`,
  );
  if (values.out !== undefined)
    writeFileSync(values.out, `${JSON.stringify({ rows, ledger, log: world.log() }, null, 2)}\n`);
  console.log(isProven ? 'PROVEN' : 'NOT PROVEN');
  process.exitCode = isProven ? 0 : 1;
} finally {
  await world.dispose();
}
