/**
 * Loaded into a replica before its own code: its wall clock goes wrong by the milliseconds in a file, as soon as the
 * file says so. Monotonic time and timers are left alone, as they are when a machine's clock is set.
 */
import { readFileSync } from 'node:fs';

const file = process.env.SHIFTED_CLOCK_FILE ?? '';
const RealDate = Date;
let shiftMs = 0;

const look = () => {
  try {
    shiftMs = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    shiftMs = 0;
  }
};

if (file) {
  look();
  setInterval(look, 50).unref();
  const now = RealDate.now.bind(RealDate);
  class ShiftedDate extends RealDate {
    constructor(...parts: unknown[]) {
      if (parts.length === 0) super(now() + shiftMs);
      else super(...(parts as [number]));
    }

    static override now() {
      return now() + shiftMs;
    }
  }
  globalThis.Date = ShiftedDate as unknown as DateConstructor;
}
