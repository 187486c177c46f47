import { decodeSipp } from './acriss.js';
import type { Vehicle } from './offers.js';

type Transmission = NonNullable<Vehicle['transmission']>;
type Source = readonly [name: string, value: string];

/** Fuels that exclude each other; others may be the same thing in other words (plug-in hybrid, multi-fuel). */
const FUELS: ReadonlySet<string> = new Set(['petrol', 'diesel', 'hybrid', 'electric']);

/** A car's transmission; undefined if nothing states it, or if SIPP code, attribute and name contradict each other. */
export function transmissionOf(vehicle: Vehicle): Transmission | undefined {
  const sources = transmissionSources(vehicle);
  return disagrees(sources) ? undefined : (sources[0]?.[1] as Transmission | undefined);
}

/** A car's fuel in lower case; undefined if nothing states it, or if SIPP code and attribute contradict each other. */
export function fuelOf(vehicle: Vehicle): string | undefined {
  const sources = fuelSources(vehicle);
  return disagrees(sources.filter(([, value]) => FUELS.has(value))) ? undefined : sources[0]?.[1];
}

/**
 * What a supplier says about one car in contradictory ways, one sentence for each feature; empty if nothing. Such a
 * feature matches no filter (docs/searching.md).
 */
export function contradictionsOf(vehicle: Vehicle): string[] {
  const fuels = fuelSources(vehicle).filter(([, value]) => FUELS.has(value));
  return [transmissionSources(vehicle), fuels].flatMap((sources) =>
    disagrees(sources)
      ? [`${vehicle.name.slice(0, 60)}: ${sources.map(([name, value]) => `${name} ${value}`).join(', ')}`]
      : [],
  );
}

function transmissionSources({ sippCode, transmission, name }: Vehicle): Source[] {
  const decoded = sippCode === undefined ? undefined : decodeSipp(sippCode)?.transmission;
  return [
    ...named('transmission', transmission),
    ...named('SIPP code', decoded),
    ...named('name', /\bautomatic\b/i.test(name) ? 'automatic' : undefined),
    ...named('name', /\bmanual\b/i.test(name) ? 'manual' : undefined),
  ];
}

function fuelSources({ sippCode, fuel }: Vehicle): Source[] {
  const decoded = sippCode === undefined ? undefined : decodeSipp(sippCode)?.fuel;
  return [...named('fuel', fuel?.toLowerCase()), ...named('SIPP code', decoded?.replace('_plus', ''))];
}

function named(name: string, value: string | null | undefined): Source[] {
  return value === undefined || value === null ? [] : [[name, value]];
}

function disagrees(sources: readonly Source[]): boolean {
  return sources.some(([, value]) => value !== sources[0]?.[1]);
}
