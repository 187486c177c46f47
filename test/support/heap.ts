import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** By how many bytes the heap is larger with what `make` returns than before, after garbage collection. */
export function heapOf(make: () => unknown): number {
  // Its code is compiled.
  make();
  collect();
  const before = process.memoryUsage().heapUsed;
  const made = make();
  collect();
  const bytes = process.memoryUsage().heapUsed - before;
  // Used after the measurement, so that it isn't collected before.
  return made === undefined ? 0 : bytes;
}
