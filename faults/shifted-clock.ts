/**
 * Loaded into a replica before its own code: shifts its wall clock by the milliseconds in a file, as soon as the file
 * changes. Monotonic time and timers are not affected, as when the clock of a machine is set.
 */
import { readFileSync } from 'node:fs';

const file = process.env.SHIFTED_CLOCK_FILE ?? '';
const RealDate = Date;
let shiftMs = 0;

const readShift = () => {
  try {
    shiftMs = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    shiftMs = 0;
  }
};

if (file) {
  readShift();
  setInterval(readShift, 50).unref();
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
