/** The memory of a device-proxy. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket, type RawData } from 'ws';
import { until } from '../travels.ts';
import type { BenchSystem } from '../system.ts';

/** Collects garbage in a Node process that was started without any flag, and returns the memory that is left. */
export class Inspected {
  socket: WebSocket;
  pid: number;
  number = 0;

  static async open(system: BenchSystem) {
    const { pid } = system.unit('device-proxy-0').unit;
    const log = join(system.logs, 'device-proxy-0.log');
    // Starts the inspector of Node.
    process.kill(Number(pid), 'SIGUSR1');
    let url = '';
    await until(
      () => {
        url = /Debugger listening on (ws:\S+)/.exec(readFileSync(log, 'utf8'))?.[1] ?? '';
        return url !== '';
      },
      'inspector',
      { found: () => String(readdirSync(system.logs)) },
    );
    const socket = new WebSocket(url);
    await new Promise((open, failed) => socket.once('open', open).once('error', failed));
    return new Inspected(socket, Number(pid));
  }

  constructor(socket: WebSocket, pid: number) {
    this.socket = socket;
    this.pid = pid;
  }

  call(method: string, params: object = {}) {
    const id = ++this.number;
    this.socket.send(JSON.stringify({ id, method, params }));
    return new Promise<{ result: { value: string } }>((done) => {
      const take = (data: RawData) => {
        const message = JSON.parse(String(data));
        if (message.id !== id) return;
        this.socket.off('message', take);
        done(message.result);
      };
      this.socket.on('message', take);
    });
  }

  /** `used`: by the heap and outside of it, for example by buffers; `rss`: by the whole process. */
  async bytes() {
    await this.call('HeapProfiler.collectGarbage');
    await this.call('HeapProfiler.collectGarbage');
    const { result } = await this.call('Runtime.evaluate', {
      expression: 'JSON.stringify(process.memoryUsage())',
      returnByValue: true,
    });
    const { heapUsed, external, rss }: { heapUsed: number; external: number; rss: number } = JSON.parse(result.value);
    return { used: heapUsed + external, rss };
  }
}
