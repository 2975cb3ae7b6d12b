/** One has the lock of the device and one is on its way to it: more would only hold connections. */
const atOnceMax = 2;

interface Line {
  running: number;
  waiting: (() => void)[];
}

/**
 * Turns at the lock of a device, of this process. Whoever waits for a lock of the database holds a connection meanwhile:
 * without turns, as many as want one device take all of them, and the others' devices wait too.
 */
export class KeyedSemaphore {
  private readonly lines = new Map<string, Line>();

  async run<T>(deviceId: string, work: () => Promise<T>): Promise<T> {
    const line = this.lines.get(deviceId) ?? { running: 0, waiting: [] };
    this.lines.set(deviceId, line);
    if (line.running < atOnceMax) line.running++;
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      if (next) next();
      else if (--line.running === 0) this.lines.delete(deviceId);
    }
  }
}
