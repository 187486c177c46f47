/** Random numbers without a clock or Math.random: the same seed and name give the same number on every machine. */

const { imul } = Math;

/** A well-mixed unsigned 32-bit integer from a seed and a text: FNV-1a over UTF-16 units, then murmur3's finalizer. */
export function hashText(seed: number, text: string): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let index = 0; index < text.length; index += 1) {
    hash = imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A number in [0, 1) for a name, which determines a property of the simulated world. */
export function chanceOf(seed: number, name: string): number {
  return hashText(seed, name) / 0x1_0000_0000;
}

/** An integer from `least` to `most` (inclusive) for a name. */
export function wholeOf(seed: number, name: string, least: number, most: number): number {
  return least + Math.floor(chanceOf(seed, name) * (most - least + 1));
}

/** A stream of numbers in [0, 1) (mulberry32), for values drawn in sequence, such as those of one call. */
export function createStream(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
