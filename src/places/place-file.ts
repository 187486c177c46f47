import { existsSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

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

  /** Whether nothing is in a line. */
  isEmpty(line: number): boolean {
    return this.start(line) === this.end(line);
  }

  text(line: number): string {
    return this.bytes.toString('utf8', this.start(line), this.end(line));
  }
}

/** Postal codes in ascending order; positions in 1/10,000 degree. */
export interface PostalTable {
  readonly codes: Lines;
  /** `Boston\tUS-MA` */
  readonly cities: Lines;
  readonly cityOf: Uint16Array;
  readonly latitudes: Int32Array;
  readonly longitudes: Int32Array;
}

/** The content of places.br in columns: a place is its index in them. */
export interface PlaceTable {
  readonly count: number;
  readonly countries: readonly string[];
  readonly regions: readonly string[];
  readonly names: Lines;
  /** IATA or ISO code; empty = none. */
  readonly codes: Lines;
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

/** Reads the file that scripts/build-places.mjs writes. Read it once per process: it takes 12 MB. */
export function readPlaceFile(): PlaceTable {
  const raw = placeBytes();
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
    codes: lines(),
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
    postal: { codes: lines(), cities: lines(), cityOf: shorts(), latitudes: integers(), longitudes: integers() },
  };
}

/** The build has unpacked it: unpacking takes 50 ms, and twice the memory of its result for good. */
function placeBytes(): Buffer {
  const unpacked = new URL('./places.bin', import.meta.url);
  if (existsSync(unpacked)) return readFileSync(unpacked);
  return brotliDecompressSync(readFileSync(new URL('./places.br', import.meta.url)));
}

function linesIn(bytes: Buffer): number {
  let count = 1;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}
