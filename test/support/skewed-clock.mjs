// Loaded into a process before its own code: its clock is off by the milliseconds in the file CLOCK_SKEW_FILE, which may
// change at any time, as if NTP or an operator set the clock of the machine.
import { readFileSync } from 'node:fs';

const POLL_MS = 20;
const file = process.env.CLOCK_SKEW_FILE;
const RealDate = Date;
let skewMs = 0;

function read() {
  const text = readFileSync(file, 'utf8');
  if (text !== '') skewMs = Number(text);
}

if (file !== undefined) {
  read();
  setInterval(read, POLL_MS).unref();
  globalThis.Date = class SkewedDate extends RealDate {
    constructor(...values) {
      if (values.length === 0) super(RealDate.now() + skewMs);
      else super(...values);
    }

    static now() {
      return RealDate.now() + skewMs;
    }
  };
}
