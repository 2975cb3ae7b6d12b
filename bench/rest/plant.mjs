/** An account with devices, values in their snapshots and entries in their logs; and the reference beside it. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DeviceEvents, DeviceValues } from '@lanyard/contracts';
import { identityHeader, newId, signIdentity } from '@lanyard/service';
import { root } from '../../tools/lanyard/project.mjs';
import { until } from '../latency.mjs';
import { encode } from './load.mjs';

const devices = 200;
const resourcesEach = 10;
const eventsEach = 20;

const clockTicksPerSecond = 100;

/** CPU that a process has taken. @param {number | undefined} pid */
export const cpuSeconds = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / clockTicksPerSecond;
};

/** A reference, which says where it listens. @param {string} program @param {string[]} args */
const startReference = async (program, ...args) => {
  const child = spawn(process.execPath, [join(root, 'bench/rest', program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: join(root, 'bench'),
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const port = await new Promise((ready, failed) => {
    child.once('exit', () => failed(new Error(`${program} ended`)));
    createInterface({ input: child.stdout }).once('line', (line) => ready(line.split(' ')[1]));
  });
  return { pid: child.pid, url: new URL(`http://127.0.0.1:${port}/constant`), stop: () => child.kill('SIGKILL') };
};

/** Starts the constant answer. */
export const startConstant = () => startReference('constant.mjs');

/** Starts what passes requests on to it. @param {URL} url */
export const startPassing = (url) => startReference('passing.mjs', url.origin);

/** Devices of an application, with what there is to read of them. */
export class Plant {
  /** @param {import('../system.mjs').System} system @param {import('../application.mjs').Application} app */
  constructor(system, app) {
    this.system = system;
    this.app = app;
    this.accountId = app.identity.accountId;
    /** @type {string[]} */
    this.ids = [];
    this.turn = 0;
  }

  /** @param {import('../system.mjs').System} system */
  static async build(system) {
    const plant = new Plant(system, await system.application());
    for (let n = 0; n < devices; n++) {
      const { id } = await plant.app.call('POST', '/v3/devices', { endpoint_name: `rest-${n}`, name: `rest ${n}` });
      plant.ids.push(id);
    }
    await plant.report();
    return plant;
  }

  async report() {
    const { producer } = this.system;
    const { accountId } = this;
    const observedAt = new Date().toISOString();
    for (const deviceId of this.ids) {
      const values = Array.from({ length: resourcesEach }, (_, n) => ({
        item: { ep: deviceId, path: `/3303/${n}/5700`, ct: 'text/plain', payload: 'MjEuNQ==', 'max-age': 60 },
        cause: /** @type {const} */ ('notify'),
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
    const last = this.ids.at(-1);
    let isThere = false;
    const look = setInterval(async () => {
      const echo = await this.app.call('GET', `/v3/devices/${last}/echo`).catch(() => undefined);
      const log = await this.app.call('GET', `/v3/device-events?device_id=${last}`);
      isThere = echo?.resources.length === resourcesEach && log.data.length > eventsEach;
    }, 200);
    await until(() => isThere, 'values and events');
    clearInterval(look);
  }

  next() {
    return /** @type {string} */ (this.ids[this.turn++ % this.ids.length]);
  }

  get headers() {
    return { authorization: `Bearer ${this.app.key}`, accept: 'application/json', 'content-type': 'application/json' };
  }

  /** What the gateway hands over. @returns {Record<string, string>} */
  get identityHeaders() {
    const { keyId } = this.app.identity;
    const identity = {
      accountId: this.accountId,
      keyId,
      groups: [],
      permissions: ['devices'],
      tier: /** @type {const} */ ('commercial'),
      requestId: newId(),
    };
    return {
      [identityHeader]: signIdentity(identity, 'registry', this.system.identityKey, Date.now()),
      accept: 'application/json',
    };
  }

  /** Suspends each device in turn, then resumes each. */
  suspension() {
    const deviceId = this.next();
    const action = Math.floor((this.turn - 1) / this.ids.length) % 2 === 0 ? 'suspend' : 'resume';
    return { method: 'POST', path: `/v3/devices/${deviceId}/${action}`, body: '{"category":"maintenance"}' };
  }

  /** Whose paths they are. @type {Record<string, string>} */
  owners = { list: 'registry', get: 'registry', suspend: 'registry', echo: 'snapshot', events: 'event-log' };

  /** @type {Record<string, () => { method: string, path: string, body?: string }>} */
  operations = {
    list: () => ({ method: 'GET', path: '/v3/devices?limit=50' }),
    get: () => ({ method: 'GET', path: `/v3/devices/${this.next()}` }),
    suspend: () => this.suspension(),
    echo: () => ({ method: 'GET', path: `/v3/devices/${this.next()}/echo` }),
    events: () => ({ method: 'GET', path: `/v3/device-events?device_id=${this.next()}&limit=20` }),
  };

  /** The next one. @param {string} operation */
  requestOf(operation) {
    const make = /** @type {() => { method: string, path: string, body?: string }} */ (this.operations[operation]);
    return make();
  }

  /** @param {string} operation @param {URL} url @param {Record<string, string>} [headers] */
  requests(operation, url, headers = this.headers) {
    return () => encode({ ...this.requestOf(operation), headers }, url.host);
  }
}
