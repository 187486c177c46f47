/** Requests per second and processor time of several servers, in rounds that alternate between them. */
import { cpuParts, median, rssBytes } from './measures.mjs';
import { CONNECTIONS, ROUNDS, SECONDS, WARM_UP_REQUESTS } from './settings.mjs';
import { table } from './table.mjs';

/**
 * `title` is of the table; `more` is added to each query. A server with `texts` gets these requests in turn instead of
 * searches.
 */
export async function throughput(
  under,
  generator,
  { title = 'Throughput', more = '', connections = CONNECTIONS } = {},
) {
  for (const server of under) await warmUp(server, generator, { more, connections });
  const rounds = new Map(under.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const server of under) {
      const pid = server.pid ?? server.child.pid;
      const before = cpuParts(pid);
      const { target, texts } = server;
      const figures = await generator.run({ kind: 'closed', target, texts, connections, seconds: SECONDS, more });
      onlyStatus(200, server, figures);
      const after = cpuParts(pid);
      const perRequest = (part) => (after[part] - before[part]) / figures.requests;
      const [mainUs, helperUs, kernelUs] = ['main', 'helpers', 'kernel'].map(perRequest);
      rounds.get(server.name).push({
        ...figures,
        mainUs,
        helperUs,
        kernelUs,
        cpuUsPerRequest: mainUs + helperUs + kernelUs,
        rssMb: rssBytes(pid) / 1e6,
      });
    }
  }
  const rows = under.map(({ name }) => {
    const all = rounds.get(name);
    const middle = (key) => median(all.map((round) => round[key]));
    return {
      server: name,
      'req/s': middle('perSecond'),
      'CPU µs/req': middle('cpuUsPerRequest'),
      main: middle('mainUs'),
      helpers: middle('helperUs'),
      kernel: middle('kernelUs'),
      'p50 ms': middle('p50'),
      'p99 ms': middle('p99'),
      'RSS MB': middle('rssMb'),
      statuses: all[0].statuses,
    };
  });
  for (const row of rows)
    row[`${rows[0].server} is × its req/s`] = ratio(rounds, rows[0].server, row.server, 'perSecond');
  // Fewer microseconds are better, so that the ratio is the other way round.
  for (const row of rows) row['… per CPU second'] = ratio(rounds, row.server, rows[0].server, 'cpuUsPerRequest');
  table(`${title}, ${connections} connections, ${ROUNDS} × ${SECONDS} s each, medians`, rows);
  return { rows, rounds: Object.fromEntries(rounds) };
}

/** Sends requests until the server has answered enough of them for its hot functions to be compiled. */
export async function warmUp({ name, target, texts }, generator, { more = '', connections = CONNECTIONS } = {}) {
  for (let answered = 0; answered < WARM_UP_REQUESTS; ) {
    const options = { target, texts, connections, seconds: 2, more };
    const { requests } = await generator.run({ kind: 'closed', ...options });
    answered += requests;
    console.log(`warming up ${name}: ${Math.min(answered, WARM_UP_REQUESTS)} of ${WARM_UP_REQUESTS} requests`);
  }
}

/** Throws if a round has another status: its figures would be those of other work. */
export function onlyStatus(expected, { name }, { statuses }) {
  const others = Object.keys(statuses).filter((status) => status !== String(expected));
  if (others.length > 0) throw new Error(`${name} answered ${JSON.stringify(statuses)}, expected only ${expected}`);
}

/** The median over the rounds of one server's figure divided by the other's in the same round. */
export function ratio(rounds, one, other, key) {
  const others = rounds.get(other);
  return median(rounds.get(one).map((round, index) => round[key] / others[index][key]));
}
