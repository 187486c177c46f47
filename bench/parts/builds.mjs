/**
 * Compares two builds more closely than alternating rounds can: on a machine whose speed changes from second to second,
 * those differ by a tenth or more between two runs of one build.
 */
import { exactCpuUs, median } from '../measures.mjs';
import { FEW_CONNECTIONS, ROUNDS, SECONDS } from '../settings.mjs';
import { table } from '../table.mjs';
import { onlyStatus, warmUp } from '../throughput.mjs';

/**
 * Both builds answer searches at the same time on the same core, so that whatever slows one down slows down the other.
 * Only processor time per search is compared: the two share the core. `spread` is the range that holds the middle half
 * of the rounds' ratios; `error` is the standard error of their mean.
 */
export async function measureBuilds([one, other], generator) {
  const options = { connections: FEW_CONNECTIONS };
  await Promise.all([one, other].map((server) => warmUp(server, generator, options)));
  const rounds = [];
  // The build that is called first has a little more work: the order alternates.
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round % 2 === 0) rounds.push(await together([one, other], generator, options));
    else rounds.push((await together([other, one], generator, options)).reverse());
  }
  const ratios = rounds.map(([first, second]) => first.us / second.us).sort((a, b) => a - b);
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  const variance = ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / Math.max(1, ratios.length - 1);
  const quarter = (part) => ratios[Math.floor((ratios.length - 1) * part)].toFixed(3);
  const row = {
    [`CPU µs/req, ${one.name}`]: median(rounds.map(([first]) => first.us)),
    [other.name]: median(rounds.map(([, second]) => second.us)),
    'median ratio': median(ratios).toFixed(3),
    'mean ratio': mean.toFixed(3),
    error: Math.sqrt(variance / ratios.length).toFixed(3),
    spread: `${quarter(0.25)} to ${quarter(0.75)}`,
  };
  table(`Two builds at the same time, ${FEW_CONNECTIONS} connections each, ${ROUNDS} × ${SECONDS} s`, [row]);
  return { row, rounds };
}

async function together(servers, generator, options) {
  return Promise.all(
    servers.map(async (server) => {
      const before = exactCpuUs(server.child.pid);
      const figures = await generator.run({
        kind: 'closed',
        target: server.target,
        seconds: SECONDS,
        more: '',
        ...options,
      });
      onlyStatus(200, server, figures);
      const used = exactCpuUs(server.child.pid) - before;
      return { us: used / figures.requests, requests: figures.requests };
    }),
  );
}
