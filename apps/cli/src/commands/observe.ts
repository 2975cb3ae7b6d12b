import { type DeviceEcho, type DeviceEchoResource, isTemporary, Lanyard, NotFound } from '@lanyard/client';
import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cli, type Session, untilStopped } from '../cli.js';
import { explainError } from '../explain-error.js';
import { findDevice, nameOf } from '../names/devices.js';
import { resourcePath } from '../names/paths.js';
import { onOneLine } from '../output/safe-text.js';
import { sparkline } from '../output/sparkline.js';
import { timeOf } from '../output/time.js';
import { wholeNumber } from './values.js';
import { valueOf } from './resources.js';

const sparklineValues = 60;
const resource = '/v2/subscriptions/{deviceId}/{object}/{instance}/{resource}' as const;

type Place = { deviceId: string; object: number; instance: number; resource: number };

const placeOf = (deviceId: string, path: string): Place => {
  const [object, instance, number] = path.split('/').slice(1).map(Number) as [number, number, number];
  return { deviceId, object, instance, resource: number };
};

const isSubscribed = async (lanyard: Lanyard, path: Place): Promise<boolean> => {
  try {
    await lanyard.call(`GET ${resource}`, { path });
    return true;
  } catch (error) {
    if (error instanceof NotFound) return false;
    throw error;
  }
};

/**
 * Prints each new value that the service stores. Does not use the channel of the key, because an application may be
 * receiving its events.
 */
class Watcher {
  private lastTime: string | undefined;
  private readonly numbers: number[] = [];

  constructor(
    private readonly session: Session,
    private readonly path: string,
    private readonly isLive: boolean,
  ) {}

  async printNewValue(deviceId: string): Promise<void> {
    const echo: DeviceEcho = await this.session.lanyard.call('GET /v3/devices/{deviceId}/echo', { path: { deviceId } });
    const found = echo.resources.find((each) => each.resource_path === this.path);
    if (!found?.reported || found.reported.reported_at === this.lastTime) return;
    this.lastTime = found.reported.reported_at;
    await this.show(found);
  }

  private async show(found: DeviceEchoResource): Promise<void> {
    const { out } = this.session;
    if (out.options.json) return out.line(JSON.stringify(found));
    const value = onOneLine(valueOf(found));
    const line = `${timeOf(found.reported?.reported_at)}  ${out.style('bold', value)}`;
    if (!this.isLive || typeof found.reported?.decoded !== 'number') return out.line(line);
    this.numbers.push(found.reported.decoded);
    if (this.numbers.length > sparklineValues) this.numbers.shift();
    return out.raw(`\r\u001b[K${line}  ${out.style('cyan', sparkline(this.numbers))}`);
  }
}

const observe = async (session: Session, deviceId: string, path: string, seconds: number): Promise<void> => {
  const { out, signal, onLost } = session;
  const isLive = process.stdout.isTTY === true && !out.options.json && !out.options.quiet;
  const watcher = new Watcher(session, path, isLive);
  try {
    for (let isLost = false; !signal.aborted;) {
      try {
        await watcher.printNewValue(deviceId);
        isLost = false;
      } catch (error) {
        if (signal.aborted || !isTemporary(error)) throw error;
        if (isLive && !isLost) await out.line('');
        if (!isLost) onLost(error);
        isLost = true;
      }
      await sleep(seconds * 1_000, undefined, { signal });
    }
  } finally {
    if (isLive) await out.line('');
  }
};

export const addObserve = (program: Command, cli: Cli): void => {
  program
    .command('observe')
    .description('Subscribe to a resource and show its values until Ctrl-C, which removes the subscription')
    .argument('<device>', 'name or id')
    .argument('<path>', 'for example /3303/0/5700')
    .option('--interval <seconds>', 'how often to look for a new value', wholeNumber(1, 3_600), 1)
    .addHelpText('after', '\nValues between two looks are not shown; "lanyard listen" prints every event of the key.')
    .action(async (name: string, text: string, { interval }: { interval: number }, command: Command) => {
      const path = resourcePath(text, 3);
      const session = cli.session(command);
      const device = await findDevice(session.lanyard, name);
      const place = placeOf(device.id, path);
      const wasSubscribed = await isSubscribed(session.lanyard, place);
      // Ctrl-C aborts the requests of the session, so the request that removes the subscription has its own client.
      const cleanUp = new Lanyard({ baseUrl: session.url, key: session.key });
      try {
        if (!wasSubscribed) await session.lanyard.call(`PUT ${resource}`, { path: place });
        session.out.note(`Observing ${path} of ${onOneLine(nameOf(device))}. Stop with Ctrl-C.`);
        await untilStopped(session, () => observe(session, device.id, path, interval));
      } finally {
        if (!wasSubscribed)
          await cleanUp.call(`DELETE ${resource}`, { path: place }).catch((error: unknown) => {
            if (error instanceof NotFound) return;
            session.out.complain(
              `The subscription stays: ${explainError(error).message} ` +
                `Remove it in the console, or with DELETE /v2/subscriptions/${device.id}${path}.`,
            );
          });
      }
    });
};
