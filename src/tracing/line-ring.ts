/** One trace as text, and its number of spans. */
export interface TraceLine {
  readonly text: string;
  readonly spans: number;
}

/** What a line needs besides its text: the objects and the array around it. */
const LINE_BYTES = 100;
/** Empty places at the beginning are removed when there are this many. */
const MOST_EMPTY = 1_024;

/** Traces waiting to be exported, in at most `maxBytes` of memory. The newest push out the oldest. */
export class LineRing {
  #lines: TraceLine[] = [];
  #first = 0;
  #bytes = 0;
  #spans = 0;

  constructor(private readonly maxBytes: number) {}

  /** Spans waiting. */
  get spans(): number {
    return this.#spans;
  }

  /** Adds a trace. Returns how many spans were dropped for it, including its own if it is larger than the ring. */
  add(line: TraceLine): number {
    const before = this.#spans + line.spans;
    this.#lines.push(line);
    this.#spans = before;
    this.#bytes += bytesOf(line);
    while (this.#bytes > this.maxBytes) this.#shift();
    return before - this.#spans;
  }

  /** Removes and returns the oldest traces, until they have at least `spans` spans; empty = none waits. */
  take(spans: number): readonly TraceLine[] {
    const taken: TraceLine[] = [];
    const until = this.#spans - spans;
    while (this.#spans > 0 && this.#spans > until) {
      const line = this.#shift();
      if (!line) break;
      taken.push(line);
    }
    return taken;
  }

  #shift(): TraceLine | undefined {
    const line = this.#lines[this.#first];
    if (!line) return undefined;
    this.#first += 1;
    this.#bytes -= bytesOf(line);
    this.#spans -= line.spans;
    if (this.#first === this.#lines.length || this.#first === MOST_EMPTY) {
      this.#lines.splice(0, this.#first);
      this.#first = 0;
    }
    return line;
  }
}

/** Two bytes per character at most. */
function bytesOf({ text }: TraceLine): number {
  return 2 * text.length + LINE_BYTES;
}
