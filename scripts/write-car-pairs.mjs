// Writes src/catalog/fixtures/car-pairs.json: pairs of offers, labeled by what the simulators know about their cars. It
// runs the built gateway, reads offers through the adapters, and finds the car of each by its supplier, brand and class
// code in the simulator's inventory. Nothing here reads names, and the matcher isn't used.
// Needs node --experimental-transform-types and `npm run build`.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import './typescript.mjs';

const { createInventory } = await import('../src/simulators/inventory.ts');
const { chanceOf } = await import('../src/simulators/random.ts');

const root = fileURLToPath(new URL('../', import.meta.url));
const AIRPORTS = ['BOS', 'FRA', 'CDG', 'LHR', 'NRT', 'SYD', 'GRU', 'MEX', 'YYZ', 'MAD'];
/** As in config/suppliers: the seed of a supplier's simulator, and its brands in order. */
const SUPPLIERS = {
  abg: [11, 'Avis', 'Budget', 'Payless'],
  alpine: [22, 'Alpine'],
  bravo: [33, 'Bravo', 'Bravo Select'],
  dune: [55, 'Dune'],
};
const KINDS = { same: 500, payment: 120, distance: 80, similar: 180, moved: 120 };

const day = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const [pickupDate, dropoffDate] = [`${day(30)}T10:00:00`, `${day(33)}T10:00:00`];
const inventories = new Map(
  Object.entries(SUPPLIERS).flatMap(([id, [seed, ...brands]]) =>
    brands.map((brand, index) => [`${id} ${brand}`, createInventory({ brand, seed: seed + index })]),
  ),
);

/** What the simulator knows about an offer; undefined if it has no such class. */
function truthOf(offer, airport) {
  const inventory = inventories.get(`${offer.supplier} ${offer.brand}`);
  const location = inventory?.locationByCode(airport);
  if (!location) return undefined;
  const rental = { pickup: location, dropoff: location, pickupDate, dropoffDate, age: 35 };
  const found = inventory.carsFor(rental).find(({ car }) => car.classCode === offer.vehicle.class_code);
  if (!found) return undefined;
  const { car, unlimitedDistance, distancePerDayKm } = found;
  if (car.sippCode !== offer.vehicle.sipp_code)
    throw new Error(`class ${car.classCode} of ${offer.brand} is another car`);
  const included = inventory.coverages(location, car).filter((one) => one.included);
  return {
    airport,
    car: `${car.sippCode} ${car.make} ${car.model}`,
    sippCode: car.sippCode,
    make: car.make,
    km: unlimitedDistance ? 'unlimited' : distancePerDayKm,
    coverages: included
      .map(({ name }) => name)
      .sort()
      .join(),
  };
}

/** What the matcher may read of an offer. */
function reduced({ supplier, brand, vehicle, pickup, rate, distance_policy, rental_days, coverages }) {
  const { sipp_code, name, make, model, transmission, fuel } = vehicle;
  return {
    supplier,
    brand,
    vehicle: { sippCode: sipp_code, name, make, model, transmission, fuel },
    iataCode: pickup.location.iata_code,
    payment: rate.payment,
    rentalDays: rental_days,
    distancePolicy: distance_policy.map(({ unlimited, included, per }) => ({ unlimited, included, per })),
    // Absent if the supplier lists no coverages in a search.
    included: coverages.length > 0 ? coverages.filter((one) => one.included).map(({ type }) => type) : undefined,
  };
}

async function readOffers() {
  const folder = mkdtempSync(join(tmpdir(), 'car-pairs-'));
  const gateway = spawn(process.execPath, ['dist/main.js'], {
    cwd: root,
    env: { ...process.env, DATA_DIR: folder, PORT: '0' },
    stdio: 'ignore',
  });
  try {
    const steps = await firstSteps(join(folder, 'first-steps.json'));
    const [{ client_id, client_secret }] = steps.applications ?? [steps];
    const base = steps.base_url;
    const answer = await fetch(`${base}/oauth/token/v1`, { headers: { client_id, client_secret } });
    const { access_token } = await answer.json();
    const all = [];
    for (const airport of AIRPORTS) {
      const query = new URLSearchParams({
        pickup_location: airport,
        pickup_date: pickupDate,
        dropoff_date: dropoffDate,
        max_results: '1000',
      });
      const response = await fetch(`${base}/cars/catalog/v1/vehicles?${query}`, {
        headers: { authorization: `Bearer ${access_token}` },
      });
      const { vehicles = [] } = await response.json();
      for (const offer of vehicles) {
        const truth = truthOf(offer, airport);
        if (truth) all.push({ truth: { ...truth, payment: offer.rate.payment }, offer: reduced(offer) });
      }
    }
    return all;
  } finally {
    gateway.kill();
    await new Promise((resolve) => gateway.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function firstSteps(path) {
  for (let tries = 0; tries < 240; tries += 1) {
    await sleep(250);
    try {
      return JSON.parse(readFileSync(path, 'utf8'));
    } catch {
      // Not written yet.
    }
  }
  throw new Error('the gateway did not start');
}

const isOther = (one, other) => one.offer.supplier !== other.offer.supplier || one.offer.brand !== other.offer.brand;
const agree = (one, other, ...names) => names.every((name) => one.truth[name] === other.truth[name]);
const TERMS = ['km', 'coverages'];

/** The kind of a pair; undefined if it isn't of interest. */
function kindOf(one, other) {
  if (!isOther(one, other)) return undefined;
  if (!agree(one, other, 'airport')) {
    const isSameCode = agree(one, other, 'sippCode', 'payment', ...TERMS) && !agree(one, other, 'car');
    return isSameCode ? 'moved' : undefined;
  }
  if (agree(one, other, 'car')) {
    if (agree(one, other, 'payment', ...TERMS)) return 'same';
    if (agree(one, other, ...TERMS)) return 'payment';
    return agree(one, other, 'payment', 'coverages') ? 'distance' : undefined;
  }
  const letters = [...one.truth.sippCode].filter((letter, index) => letter === other.truth.sippCode[index]).length;
  return agree(one, other, 'payment', ...TERMS) && (agree(one, other, 'make') || letters === 3) ? 'similar' : undefined;
}

/** A quarter of the offers, so that the file stays small. */
const all = (await readOffers()).filter((_, index) => chanceOf(2, `kept ${index}`) < 0.25);
const chosen = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, []]));
const size = all.length;
for (let round = 0; round < 3_000_000; round += 1) {
  const [first, second] = ['a', 'b'].map((side) => Math.floor(chanceOf(1, `${side} ${round}`) * size));
  const kind = kindOf(all[first], all[second]);
  if (kind && chosen[kind].length < KINDS[kind]) chosen[kind].push([first, second]);
  if (Object.entries(KINDS).every(([name, count]) => chosen[name].length === count)) break;
}
const used = [...new Set(Object.values(chosen).flat(2))].sort((a, b) => a - b);
const place = new Map(used.map((index, at) => [index, at]));
const lines = [...used.map((index) => `    ${JSON.stringify(all[index].offer)}`)].join(',\n');
const pairs = Object.entries(chosen)
  .flatMap(([kind, list]) => list.map(([a, b]) => `    ${JSON.stringify([place.get(a), place.get(b), kind])}`))
  .join(',\n');
writeFileSync(
  `${root}src/catalog/fixtures/car-pairs.json`,
  `{\n  "offers": [\n${lines}\n  ],\n  "pairs": [\n${pairs}\n  ]\n}\n`,
);
console.log(Object.fromEntries(Object.entries(chosen).map(([kind, list]) => [kind, list.length])), `of ${size} offers`);
