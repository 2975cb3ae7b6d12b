/** The gateway is killed or stopped under thousands of WebSockets. */
import { sleep } from '../../tools/lanyard/project.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { upstreamUrls } from '../../tools/lanyard/service-processes.ts';
import { severalAtOnce } from '../../tools/testing/several-at-once.ts';
import { whenAvailable } from '../available.ts';
import { eventually, type Experiment, type Row } from '../experiment.ts';
import { identityKeys } from '../fault-system.ts';
import { SocketReceiver } from '../receivers/socket-receiver.ts';
import { Replica } from '../replica.ts';
import { terminate } from '../terminate.ts';
import type { Device } from '../load.ts';

const socketsWanted = 2_000;
const requestsAtOnce = 24;

/** Back-off of a client that waits longer each time, as clients should. */
const backOffMs = { first: 200, most: 2_000 };

const backWithinMs = 60_000;

/** STOP_TIMEOUT_MS, and the time that a process takes to end after that. */
const stopMs = 15_000 + 3_000;

/** Batches in the tunnels of a killed gateway are sent again. */
const afterGateway = 2;

class Gateway {
  sockets: SocketReceiver[] = [];
  experiment: Experiment;
  process: Replica;
  keyFile: string;
  /** A device whose events go to all sockets. */
  everyone?: Device;

  constructor(experiment: Experiment, process: Replica) {
    this.experiment = experiment;
    this.process = process;
    this.keyFile = join(process.folder, 'admin.key');
  }

  static async start(experiment: Experiment) {
    const { system } = experiment;
    const { folder, program } = system.options;
    const dispatchers = system.replicas.map(({ url }) => url).join(',');
    const process = await Replica.create({
      name: 'gateway-0',
      folder,
      program: join(program, 'apps/gateway'),
      redisPort: experiment.redis.port,
      environment: {
        ...system.commonEnvironment,
        IDENTITY_PRIVATE_KEY: identityKeys.identityPrivateKey,
        GATEWAY_REDIS_PREFIX: `${system.redisPrefix}gateway:`,
        GATEWAY_FIRST_KEY_FILE: join(folder, 'admin.key'),
        // No requests are for the other services, so their addresses do not matter.
        ...upstreamUrls(() => dispatchers),
        LOG_LEVEL: 'warn',
      },
    });
    const gateway = new Gateway(experiment, process);
    await process.start();
    return gateway;
  }

  /** A busy machine may answer 503: a client tries again. */
  async call(key: string, method: string, path: string, body?: unknown) {
    const { status, text } = await whenAvailable(async () => {
      const response = await fetch(`${this.process.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(60_000),
      });
      const retryAfter = response.headers.get('retry-after');
      return { status: response.status, retryAfter, text: await response.text() };
    });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text || '{}');
  }

  /** Adds a key, its channel, a device for it, and a client. */
  async addSocket(admin: string, n: number) {
    const { system, history, random } = this.experiment;
    const { id, key } = await this.call(admin, 'POST', '/v3/api-keys', { name: `socket ${n}` });
    const accountId = key.slice('ak_1'.length, 'ak_1'.length + 32);
    await this.call(key, 'PUT', '/v2/notification/websocket', { serialization: { cfg: { include_uid: true } } });
    history.addChannel({ name: id, kind: 'websocket', tenant: accountId });
    system.load.addDevice({ tenant: accountId, kind: 'values', keyIds: [id], channels: [id] });
    let pauseMs = backOffMs.first;
    const patience = {
      handshakeMs: 15_000,
      reconnectAfterMs: () => {
        const waitMs = pauseMs * (0.5 + random.next() / 2);
        pauseMs = Math.min(backOffMs.most, pauseMs * 2);
        return waitMs;
      },
    };
    const receiver = new SocketReceiver(history, id, key, () => this.process.url, patience);
    receiver.onOpen = () => (pauseMs = backOffMs.first);
    system.sockets.set(id, receiver.start());
    this.sockets.push(receiver);
    return accountId;
  }

  async openSockets() {
    const admin = readFileSync(this.keyFile, 'utf8').trim();
    const numbers = Array.from({ length: socketsWanted }, (_, n) => n);
    let accountId: string = '';
    const begunAt = performance.now();
    await severalAtOnce(requestsAtOnce, numbers, async (n) => (accountId = await this.addSocket(admin, n)));
    const seconds = Math.round((performance.now() - begunAt) / 1_000);
    this.experiment.say(`F27 ${socketsWanted} keys, channels and sockets in ${seconds} s`);
    const { load } = this.experiment.system;
    load.addDevice({
      tenant: accountId,
      kind: 'sessions',
      keyIds: [],
      channels: this.sockets.map((each) => each.channel),
    });
    this.everyone = load.devices.at(-1) as Device;
    await this.mustBeBack();
  }

  sendToAll() {
    if (this.everyone) this.experiment.system.load.produce(this.everyone);
  }

  get open() {
    return this.sockets.filter(({ isOpen }) => isOpen);
  }

  async mustBeBack() {
    const begunAt = performance.now();
    const areBack = await eventually(() => this.open.length === this.sockets.length, backWithinMs);
    this.experiment.say(`F27 ${this.open.length} sockets open after ${Math.round(performance.now() - begunAt)} ms`);
    if (areBack) return;
    this.experiment.violation(
      `F27 ${this.open.length} of ${this.sockets.length} sockets are open after ${backWithinMs} ms`,
    );
  }
}

const restarted: Row = {
  name: 'F27',
  about:
    'the gateway under 2,000 WebSockets is killed, or stopped with SIGTERM, and started again: all are back, told why',
  exclusive: true,
  tenants: 1,
  kinds: ['callback'],
  devices: 2,
  perSecond: 100,
  seconds: 30,
  inject: async (experiment) => {
    const gateway = await Gateway.start(experiment);
    try {
      await gateway.openSockets();
      gateway.sendToAll();
      await experiment.warmUp();
      const endsAt = performance.now() + 1_000 * (experiment.options.seconds ?? restarted.seconds ?? 0);
      for (let n = 0; n < 2 || performance.now() < endsAt; n++) {
        await experiment.pause(500, 1_500);
        const name = n % 2 === 0 ? 'SIGTERM' : 'kill';
        await experiment.fault(`${name} of the gateway`, { times: afterGateway, afterMs: backWithinMs }, async () => {
          gateway.sendToAll();
          await experiment.pause(0, 400);
          if (name === 'kill') await gateway.process.kill();
          else
            await terminate(experiment, {
              about: 'F27 the gateway',
              process: gateway.process,
              open: gateway.open,
              withinMs: stopMs,
            });
          await gateway.process.start();
          await gateway.mustBeBack();
        });
      }
    } catch (error) {
      await gateway.process.drop();
      throw error;
    }
    experiment.equipment.stop = () => gateway.process.drop();
    await sleep(500);
  },
};

export const gatewayRows = [restarted];
