/** One holder of the device lock and one waiting for it in the database: more would only occupy connections. */
const atOnceMax = 2;

interface DeviceQueue {
  running: number;
  waiting: (() => void)[];
}

/**
 * Limits the transactions of this process that wait for the lock of one device. A transaction occupies a connection while it
 * waits: without the limit, work on one device could exhaust the pool and delay every other device.
 */
export class KeyedSemaphore {
  private readonly queues = new Map<string, DeviceQueue>();

  async run<T>(deviceId: string, work: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(deviceId) ?? { running: 0, waiting: [] };
    this.queues.set(deviceId, queue);
    if (queue.running < atOnceMax) queue.running++;
    else await new Promise<void>((resolve) => queue.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.waiting.shift();
      if (next) next();
      else if (--queue.running === 0) this.queues.delete(deviceId);
    }
  }
}
