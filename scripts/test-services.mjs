// Installs the servers that the end-to-end tests start: redis-server, nginx, PostgreSQL, PgBouncer, HAProxy, Prometheus, and a browser.
// Missing ones are installed if that is possible without a prompt (root on Debian); those that remain missing are
// reported, one line each, and are an error with CI=true.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const DEBIAN_POSTGRESQL = '/usr/lib/postgresql';

const services = [
  {
    binary: 'redis-server',
    package: 'redis-server',
    skipped: 'tests of the Redis store, of two gateways and of a Redis that fails',
  },
  {
    binary: 'initdb',
    package: 'postgresql',
    skipped: 'tests of PostgreSQL, of two gateways, of a database that fails and of production',
  },
  { binary: 'pgbouncer', package: 'pgbouncer', skipped: 'tests of migrations' },
  { binary: 'nginx', package: 'nginx', skipped: 'tests behind nginx' },
  { binary: 'haproxy', package: 'haproxy', skipped: 'tests behind HAProxy' },
  { binary: 'jq', package: 'jq', skipped: 'the test of the commands in docs/cluster.md' },
  { binary: 'promtool', package: 'prometheus', skipped: 'tests of alert rules and dashboards' },
  // The headless browser takes a third less processor time; the full one works as well.
  {
    binary: 'chromium-headless-shell',
    or: 'chromium',
    package: 'chromium-headless-shell',
    skipped: 'tests of the portal in a browser',
  },
];

const isMissing = ({ binary, or }) => !isHere(binary) && !(or && isHere(or));
let missing = services.filter(isMissing);
if (missing.length > 0 && process.getuid?.() === 0 && isHere('apt-get')) {
  const names = missing.map((service) => service.package);
  console.log(`Installing ${names.join(', ')} for the tests …`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) => spawnSync('apt-get', ['-qq', ...args], { env: environment, encoding: 'utf8' });
  apt('update');
  const result = apt('install', '-y', '--no-install-recommends', ...names);
  if (result.status !== 0) console.error(`apt-get failed: ${(result.stderr ?? '').trim().split('\n').at(-1)}`);
  missing = missing.filter(isMissing);
}
for (const { binary, package: name, skipped } of missing) {
  console.error(
    `${binary} is missing: ${skipped} are skipped. Install it with: apt-get install ${name} (or the equivalent package of your system).`,
  );
}
if (missing.length > 0 && process.env.CI === 'true') process.exit(1);

function isHere(binary) {
  const versions = existsSync(DEBIAN_POSTGRESQL)
    ? readdirSync(DEBIAN_POSTGRESQL).map((version) => join(DEBIAN_POSTGRESQL, version, 'bin'))
    : [];
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', ...versions];
  return folders.some((folder) => isExecutable(join(folder, binary)));
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(error.code)) return false;
    throw error;
  }
}
