/** One holder of the device lock and one waiting for it in the database: more would only occupy connections. */
const atOnceMax = 2;

interface Line {
  running: number;
  waiting: (() => void)[];
}

/**
 * Limits the transactions of this process that wait for the lock of one device. A transaction occupies a connection while it
 * waits: without the limit, work on one device could exhaust the pool and delay every other device.
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
