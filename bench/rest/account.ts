/** An account with devices, values in their snapshots and entries in their logs; and the references to compare with. */
import { DeviceEvents, DeviceValues } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { waitUntil } from '../../tools/lanyard/probes.ts';
import { identityHeaders } from '../../tools/testing/customer.ts';
import { startProgram } from '../../tools/testing/program.ts';
import type { Request } from './load.ts';
import type { BenchSystem } from '../system.ts';
import type { Application } from '../application.ts';

const devices = 200;
const resourcesEach = 10;
const eventsEach = 20;

/** Starts a reference program, which prints its port. */
const startReference = async (program: string, ...args: string[]) => {
  const { child, port, stop } = await startProgram(`bench/rest/${program}.ts`, ...args);
  return { pid: child.pid, url: new URL(`http://127.0.0.1:${port}/constant`), stop };
};

export const startConstant = () => startReference('constant');

export const startPassing = (url: URL) => startReference('passing', url.origin);

/** The bare service, which gives the same answers for this account as the services. */
export const startBareService = ({ system, accountId }: RestAccount) =>
  startReference('bare-service', system.infrastructureUrls.databaseUrl, accountId);

/** Devices of an application, with data that can be read. */
export class RestAccount {
  system: BenchSystem;
  app: Application;
  accountId: string;
  ids: string[] = [];
  turn = 0;

  constructor(system: BenchSystem, app: Application) {
    this.system = system;
    this.app = app;
    this.accountId = app.accountId;
  }

  static async build(system: BenchSystem) {
    const account = new RestAccount(system, await system.application());
    for (let n = 0; n < devices; n++) {
      const body = { endpoint_name: `rest-${n}`, name: `rest ${n}` };
      const { id } = await account.app.lanyard.call('POST /v3/devices', { body });
      account.ids.push(id);
    }
    await account.report();
    return account;
  }

  async report() {
    const { producer } = this.system;
    const { accountId } = this;
    const observedAt = new Date().toISOString();
    for (const deviceId of this.ids) {
      const values = Array.from({ length: resourcesEach }, (_, n) => ({
        item: { ep: deviceId, path: `/3303/${n}/5700`, ct: 'text/plain', payload: 'MjEuNQ==', 'max-age': 60 },
        cause: 'notify' as const,
        deviceId,
        accountId,
        endpointName: deviceId,
        epoch: 1,
        sequence: n,
        observedAt,
        audience: [],
      }));
      const events = Array.from({ length: eventsEach }, () => ({
        eventId: newId(),
        deviceId,
        accountId,
        eventCode: 'SYS_110',
        occurredAt: observedAt,
      }));
      await Promise.all([
        ...values.map((value) => producer.send(DeviceValues, value)),
        ...events.map((event) => producer.send(DeviceEvents, event)),
      ]);
    }
    const last = this.ids.at(-1) as string;
    const { lanyard } = this.app;
    await waitUntil('values and events', async () => {
      const path = { deviceId: last };
      const echo = await lanyard.call('GET /v3/devices/{deviceId}/echo', { path }).catch(() => undefined);
      const log = await lanyard.call('GET /v3/device-events', { query: { device_id: last } });
      return echo?.resources.length === resourcesEach && log.data.length > eventsEach;
    });
  }

  next() {
    return this.ids[this.turn++ % this.ids.length] as string;
  }

  get headers() {
    return { authorization: `Bearer ${this.app.key}`, accept: 'application/json', 'content-type': 'application/json' };
  }

  /** Headers of the caller that the gateway passes on. */
  get identityHeaders(): Record<string, string> {
    const caller = { ...this.app, permissions: ['devices' as const] };
    return { ...identityHeaders(caller, 'registry', this.system.identityKey), accept: 'application/json' };
  }

  /** Suspends each device in turn, then resumes each. */
  suspension() {
    const deviceId = this.next();
    const action = Math.floor((this.turn - 1) / this.ids.length) % 2 === 0 ? 'suspend' : 'resume';
    return { method: 'POST', path: `/v3/devices/${deviceId}/${action}`, body: '{"category":"maintenance"}' };
  }

  /** The service that answers each operation. */
  owners: Record<string, string> = {
    list: 'registry',
    get: 'registry',
    suspend: 'registry',
    echo: 'snapshot',
    events: 'event-log',
  };

  operations: Record<string, () => { method: string; path: string; body?: string }> = {
    list: () => ({ method: 'GET', path: '/v3/devices?limit=50' }),
    get: () => ({ method: 'GET', path: `/v3/devices/${this.next()}` }),
    suspend: () => this.suspension(),
    echo: () => ({ method: 'GET', path: `/v3/devices/${this.next()}/echo` }),
    events: () => ({ method: 'GET', path: `/v3/device-events?device_id=${this.next()}&limit=20` }),
  };

  requestOf(operation: string) {
    const make = this.operations[operation] as () => { method: string; path: string; body?: string };
    return make();
  }

  requests(operation: string, headers: Record<string, string> = this.headers) {
    return (): Request => ({ ...(this.requestOf(operation) as Request), headers });
  }
}
