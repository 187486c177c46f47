/** Where the main thread of each server spends its time. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inspect, profile } from '../measures.mjs';
import { CONNECTIONS, SECONDS } from '../settings.mjs';
import { warmUp } from '../throughput.mjs';

/** Profiles each server that has an inspector; returns its microseconds per request and its functions by self time, by name. */
export async function measureProfiles(under, generator, suppliers) {
  const profiles = {};
  await suppliers.set(`vehicles=${process.env.BENCH_VEHICLES ?? 10}`);
  for (const server of under)
    if (server.inspect !== undefined) profiles[server.name] = await profileSearches(server, generator);
  await suppliers.set('');
  return profiles;
}

async function profileSearches(server, generator) {
  const more = process.env.BENCH_QUERY ?? '';
  await warmUp(server, generator, { more });
  return takeProfile(server, () =>
    generator.run({ kind: 'closed', target: server.target, connections: CONNECTIONS, seconds: SECONDS, more }),
  );
}

/** Profiles a server while `run` sends requests for BENCH_SECONDS; prints its functions by self time, and writes the profile. */
export async function takeProfile({ name, inspect: port }, run) {
  const inspector = await inspect(port);
  const load = run();
  const { rows, activeUs, taken } = await profile(inspector, SECONDS);
  const { requests } = await load;
  inspector.close();
  const file = fileURLToPath(new URL(`../${name.replaceAll(' ', '-')}.cpuprofile`, import.meta.url));
  writeFileSync(file, JSON.stringify(taken));
  const usOf = (share) => (share * activeUs) / requests;
  console.log(
    `\n${name}: ${usOf(1).toFixed(0)} µs of main thread per request; functions by self time (full profile in ${file})`,
  );
  for (const { name: row, share } of rows.slice(0, 40))
    console.log(`  ${(share * 100).toFixed(1).padStart(5)} %  ${usOf(share).toFixed(1).padStart(6)} µs  ${row}`);
  return { usPerRequest: usOf(1), rows: rows.slice(0, 100) };
}
