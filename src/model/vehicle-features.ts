import { decodeSipp } from './acriss.js';
import type { Vehicle } from './offers.js';

/** What a car's features are read from. */
export type FeatureSource = Pick<Vehicle, 'sippCode' | 'name' | 'transmission' | 'fuel'>;

type Transmission = NonNullable<Vehicle['transmission']>;
type Source = readonly [name: string, value: string];

/** Fuels that exclude each other; others may be the same thing in other words (plug-in hybrid, multi-fuel). */
const FUELS: ReadonlySet<string> = new Set(['petrol', 'diesel', 'hybrid', 'electric']);

/** A car's transmission; undefined if nothing states it, or if SIPP code, attribute and name contradict each other. */
export function transmissionOf(vehicle: FeatureSource): Transmission | undefined {
  const sources = transmissionSources(vehicle);
  return disagrees(sources) ? undefined : (sources[0]?.[1] as Transmission | undefined);
}

/** A car's fuel in lower case; undefined if nothing states it, or if SIPP code and attribute contradict each other. */
export function fuelOf(vehicle: FeatureSource): string | undefined {
  const sources = fuelSources(vehicle);
  return disagrees(sources.filter(([, value]) => FUELS.has(value))) ? undefined : sources[0]?.[1];
}

/** Whether a car has air conditioning; undefined if nothing states it, or if SIPP code and attribute contradict each other. */
export function airConditioningOf({
  sippCode,
  airConditioning,
}: Pick<Vehicle, 'sippCode' | 'airConditioning'>): boolean | undefined {
  const decoded = sippCode === undefined ? undefined : (decodeSipp(sippCode)?.airConditioning ?? undefined);
  if (airConditioning === undefined || decoded === undefined) return airConditioning ?? decoded;
  return airConditioning === decoded ? decoded : undefined;
}

/** The range of an electric car by its SIPP code: `long` is 400 km (250 miles) or more. Undefined for others, or if unknown. */
export function electricRangeOf(vehicle: FeatureSource): 'standard' | 'long' | undefined {
  if (vehicle.sippCode === undefined || fuelOf(vehicle) !== 'electric') return undefined;
  const fuel = decodeSipp(vehicle.sippCode)?.fuel;
  if (fuel === 'electric_plus') return 'long';
  return fuel === 'electric' ? 'standard' : undefined;
}

/**
 * What a supplier says about one car in contradictory ways, one sentence for each feature; empty if nothing. Such a
 * feature doesn't match any filter (docs/searching.md).
 */
export function contradictionsOf(vehicle: FeatureSource): string[] {
  const texts: string[] = [];
  const add = (sources: readonly Source[]): void => {
    if (disagrees(sources))
      texts.push(`${vehicle.name.slice(0, 60)}: ${sources.map(([name, value]) => `${name} ${value}`).join(', ')}`);
  };
  add(transmissionSources(vehicle));
  add(fuelSources(vehicle).filter(([, value]) => FUELS.has(value)));
  return texts;
}

function transmissionSources({ sippCode, transmission, name }: FeatureSource): Source[] {
  const decoded = sippCode === undefined ? undefined : decodeSipp(sippCode)?.transmission;
  const sources: Source[] = [];
  if (transmission) sources.push(['transmission', transmission]);
  if (decoded) sources.push(['SIPP code', decoded]);
  if (/\bautomatic\b/i.test(name)) sources.push(['name', 'automatic']);
  if (/\bmanual\b/i.test(name)) sources.push(['name', 'manual']);
  return sources;
}

function fuelSources({ sippCode, fuel }: FeatureSource): Source[] {
  const decoded = sippCode === undefined ? undefined : decodeSipp(sippCode)?.fuel;
  const sources: Source[] = [];
  if (fuel !== undefined) sources.push(['fuel', fuel.toLowerCase()]);
  if (decoded) sources.push(['SIPP code', decoded.replace('_plus', '')]);
  return sources;
}

function disagrees(sources: readonly Source[]): boolean {
  return sources.some(([, value]) => value !== sources[0]?.[1]);
}
