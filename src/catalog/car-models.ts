import type { Vehicle } from '../model/offers.js';

/** A car's make and model in a spelling that is the same for all suppliers, without blanks. */
export interface CarModel {
  /** Absent if the supplier doesn't name it. */
  readonly make?: string;
  readonly model: string;
}

const MAKES: ReadonlySet<string> = new Set(
  `abarth acura audi bentley bmw buick byd cadillac chery chevrolet chrysler citroen cupra dacia daihatsu dodge ds ferrari
  fiat ford geely genesis gmc haval holden honda hyundai infiniti isuzu iveco jaguar jeep kia lada lamborghini lancia lexus
  lincoln mahindra maserati mazda mercedes mercury mg mini mitsubishi nissan opel peugeot polestar porsche proton ram renault
  rover saab samsung seat skoda smart ssangyong subaru suzuki tata tesla toyota vauxhall volkswagen volvo`.split(/\s+/),
);
/** Makes of several words, and short forms. */
const OTHER_MAKES: ReadonlyMap<string, string> = new Map([
  ['alfa romeo', 'alfa'],
  ['alfa', 'alfa'],
  ['aston martin', 'aston'],
  ['chevy', 'chevrolet'],
  ['land rover', 'landrover'],
  ['landrover', 'landrover'],
  ['mercedes benz', 'mercedes'],
  ['rolls royce', 'rollsroyce'],
  ['vw', 'volkswagen'],
]);

/** Words about a car that aren't part of its model, because the SIPP code says the same. */
const NOISE =
  /^(?:aut|auto|automatic|man|manual|ac|diesel|petrol|gasoline|tdi|tsi|tfsi|hdi|dci|cdi|\d\.\d[a-z]*|\d-?(?:dr|d|doors?|portes?|seats?)|or|similar)$/;
const SAME_WORDS: ReadonlyMap<string, string> = new Map([
  ['combi', 'estate'],
  ['kombi', 'estate'],
  ['wagon', 'estate'],
  ['sw', 'estate'],
  ['break', 'estate'],
  ['variant', 'estate'],
  ['cabrio', 'convertible'],
  ['cabriolet', 'convertible'],
  ['saloon', 'sedan'],
]);
/** Words that name a class of cars: a name of nothing else isn't a model. */
const CLASS_WORDS: ReadonlySet<string> = new Set(
  `any bus cabriolet car cargo category class commercial compact convertible coupe crossover door doors economy electric elite
  estate exotic family full fullsize group hatchback hybrid intermediate large limousine luxury medium mid midsize mini minibus
  minivan model monospace mystery open passenger people pickup premium roadster seat seater seats sedan size small special sport
  sports standard subcompact suv terrain the truck two type van vehicle wheel wheeler with`.split(/\s+/),
);

/** Most characters of a name that are read. */
const MOST_READ = 120;
const MOST_KEPT = 20_000;
const kept = new Map<string, CarModel | undefined>();

/**
 * The make and model of a car: as the supplier states them, otherwise from its name. Undefined if it only names a class of
 * cars ("Compact car"). The same car may be named with or without its make.
 */
export function carModelOf({ name, make, model }: Pick<Vehicle, 'name' | 'make' | 'model'>): CarModel | undefined {
  const text = model === undefined ? `${make ?? ''} ${name}` : `${make ?? ''} ${model}`;
  const key = `${make === undefined || model === undefined ? 'name' : 'model'} ${text.slice(0, MOST_READ)}`;
  if (kept.has(key)) return kept.get(key);
  const read = readModel(wordsOf(text.slice(0, MOST_READ)), make !== undefined && model !== undefined);
  // Names that a supplier invents don't keep out those of others for good.
  const [oldest] = kept.size < MOST_KEPT ? [] : kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
  kept.set(key, read);
  return read;
}

/** `isStated`: the supplier named the make, so what follows is a model whatever its words. */
function readModel(words: readonly string[], isStated: boolean): CarModel | undefined {
  const { make, rest } = makeOf(words);
  const again = makeOf(rest);
  const own = (again.make === make ? again.rest : rest)
    .filter((word) => !NOISE.test(word))
    .map((word) => SAME_WORDS.get(word) ?? word);
  if (own.length === 0 || (!isStated && own.every((word) => CLASS_WORDS.has(word)))) return undefined;
  // A number alone, as in "Group 3", is a model only of a known make.
  if (make === undefined && !own.some((word) => /^[a-z-]{3,}$/.test(word) && !CLASS_WORDS.has(word))) return undefined;
  const model = own.join('').replace(/[.-]/g, '');
  return make === undefined ? { model } : { make, model };
}

function makeOf(words: readonly string[]): { readonly make?: string; readonly rest: readonly string[] } {
  const [first = '', second = ''] = words;
  const two = OTHER_MAKES.get(`${first} ${second}`);
  if (two !== undefined) return { make: two, rest: words.slice(2) };
  const one = OTHER_MAKES.get(first.replace('-', ' ')) ?? (MAKES.has(first) ? first : undefined);
  return one === undefined ? { rest: words } : { make: one, rest: words.slice(1) };
}

/** Lowercase words without accents; hyphens and points inside a word are kept. */
function wordsOf(text: string): string[] {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\([^()]*\)/g, ' ')
    .split(/[^\p{L}\p{N}.-]+/u)
    .map((word) => word.replace(/^[.-]+/, '').replace(/[.-]$/, ''))
    .filter((word) => word !== '');
}
