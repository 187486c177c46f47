import { brotliDecompressSync } from 'node:zlib';
import packed from './places.json' with { type: 'json' };

/** Lines of UTF-8 text that are read one at a time, so that they take little memory. */
export class Lines {
  /** Where each line begins; the last number is one past the end of the text. */
  readonly #starts: Uint32Array;

  constructor(
    readonly bytes: Buffer,
    readonly count: number,
  ) {
    const starts = new Uint32Array(count + 1);
    let at = 0;
    for (let line = 1; line < count; line += 1) {
      at = bytes.indexOf(10, at) + 1;
      starts[line] = at;
    }
    starts[count] = bytes.length + 1;
    this.#starts = starts;
  }

  /** Offset of the first byte of a line. */
  start(line: number): number {
    return this.#starts[line] ?? 0;
  }

  /** Offset after the last byte of a line. */
  end(line: number): number {
    return (this.#starts[line + 1] ?? 1) - 1;
  }

  text(line: number): string {
    return this.bytes.toString('utf8', this.start(line), this.end(line));
  }
}

/** Postal codes in ascending order; positions in 1/10,000 degree. */
export interface PostalTable {
  readonly codes: readonly string[];
  /** `Boston\tUS-MA` */
  readonly cities: Lines;
  readonly cityOf: Uint16Array;
  readonly latitudes: Int32Array;
  readonly longitudes: Int32Array;
}

/** The content of places.json in columns: a place is its index in them. */
export interface PlaceTable {
  readonly count: number;
  readonly countries: readonly string[];
  readonly regions: readonly string[];
  readonly names: Lines;
  readonly codes: readonly string[];
  /** 0 city, 1 airport, 2 station, 3 region, 4 country. */
  readonly kinds: Uint8Array;
  readonly countryOf: Uint8Array;
  readonly regionOf: Uint16Array;
  /** The number of the place in its source: GeoNames for cities, EVA for stations. */
  readonly ids: Int32Array;
  readonly latitudes: Int32Array;
  readonly longitudes: Int32Array;
  /** 0 to 255, by population, passengers and market. */
  readonly importances: Uint8Array;
  /** Folded names in the order of their bytes. */
  readonly terms: Lines;
  readonly placeOf: Int32Array;
  /** How a term names its place: 0 its name, 1 another name, 2 the end of a name. */
  readonly flagOf: Uint8Array;
  /** City and airport in turn, in ascending order of the city, the most important airport first. */
  readonly airportPairs: Int32Array;
  readonly postal: PostalTable;
}

/** Reads the file that scripts/build-places.mjs writes. Takes about 50 ms, so it is done once per process. */
export function readPlaceFile(): PlaceTable {
  const raw = brotliDecompressSync(Buffer.from(packed.data, 'base64'));
  // It is read once: the text needn't stay in memory.
  packed.data = '';
  let at = 0;
  const section = (): Buffer => {
    const length = raw.readUInt32LE(at);
    const bytes = raw.subarray(at + 4, at + 4 + length);
    at += 4 + Math.ceil(length / 4) * 4;
    return bytes;
  };
  const texts = (): string[] => section().toString('utf8').split('\n');
  const shorts = (): Uint16Array => {
    const { buffer, byteOffset, length } = section();
    return new Uint16Array(buffer, byteOffset, length / 2);
  };
  const integers = (): Int32Array => {
    const { buffer, byteOffset, length } = section();
    return new Int32Array(buffer, byteOffset, length / 4);
  };
  const lines = (): Lines => {
    const text = section();
    return new Lines(text, linesIn(text));
  };
  const countries = texts();
  const regions = texts();
  const names = lines();
  return {
    count: names.count,
    countries,
    regions,
    names,
    codes: texts(),
    kinds: section(),
    countryOf: section(),
    regionOf: shorts(),
    ids: integers(),
    latitudes: integers(),
    longitudes: integers(),
    importances: section(),
    terms: lines(),
    placeOf: integers(),
    flagOf: section(),
    airportPairs: integers(),
    postal: { codes: texts(), cities: lines(), cityOf: shorts(), latitudes: integers(), longitudes: integers() },
  };
}

function linesIn(bytes: Buffer): number {
  let count = 1;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}
