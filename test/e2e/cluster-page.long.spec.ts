import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '../support/binaries.js';
import { freePort } from '../support/child.js';
import { claim } from '../support/claim.js';
import { runPage } from '../support/page-commands.js';

/** Ports that the commands use above the first one. */
const MOST_ABOVE = 170;

/** Below the range from which the kernel takes ports for connections. */
async function freeBase(): Promise<number> {
  const base = 10_000 + ((await freePort()) % 20_000);
  return base - (base % MOST_ABOVE);
}

/** Ends what a failed run left. */
function endAll(folder: string): void {
  for (const file of globSync(['*.pid', 'redis-*/pid', 'db*/postmaster.pid'].map((name) => join(folder, '*', name)))) {
    try {
      process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL');
    } catch (error) {
      // It has exited by itself.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  rmSync(folder, { recursive: true, force: true });
}

describeWith(
  'redis-server',
  'redis-cli',
  'initdb',
  'pgbouncer',
  'haproxy',
  'jq',
)('docs/cluster.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-page-'));
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  afterAll(() => endAll(folder));

  claim(
    ['operation', 'V16.5.2'],
    'The printed commands set up two gateways on a Redis Cluster and a replicated PostgreSQL behind PgBouncer, kill one of each, and no booking is lost or doubled.',
    async () => {
      const printed = await runPage('docs/cluster.md', { PORT_BASE: String(await freeBase()), TMPDIR: folder });
      expect([...printed.keys()]).toEqual([
        'cluster',
        'redis',
        'postgres',
        'gateways',
        'bookings',
        'kill',
        'compare',
        'end',
      ]);
      expect(printed.get('compare')?.text).toMatch(
        /^30 wanted, 30 answered, 30 in the database, 30 at the suppliers\n(?:.*\n)* +\d+ (?:000|503), again/,
      );
      const total = [...printed.values()].reduce((sum, { seconds }) => sum + seconds, 0);
      expect(total).toBeLessThan(20 * 60);
    },
    600_000,
  );
});
