import type { CoapDatagramEndpoint, Peer } from '@lanyard/coap';
import { type DeviceObservers, NotObserved } from './device-observers.js';
import type { EncodedValue } from './device-resource.js';

export interface OpenSocket {
  endpoint: CoapDatagramEndpoint;
  server: Peer;
}

/** The connection of a device to its server, as reports use it. */
export interface DeviceConnection {
  /** undefined while the device sleeps or has no connection. */
  socket(): OpenSocket | undefined;
  isClosed(): boolean;
  ackTimeoutMs: number;
}

/** How often a report checks whether a sleeping device has woken up. */
const checkEveryMs = 20;

/** Reports of a device to its observers, repeated until they are acknowledged. */
export class DeviceReports {
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(
    private readonly observers: DeviceObservers,
    private readonly connection: DeviceConnection,
  ) {}

  /** Reports of one key are sent one after the other, each with the value at the time of its turn. Throws NotObserved. */
  inTurn(key: string, valueNow: () => EncodedValue): Promise<void> {
    const before = this.last.get(key) ?? Promise.resolve();
    const report = before.catch(() => undefined).then(() => this.deliver(key, valueNow()));
    this.last.set(
      key,
      report.catch(() => undefined),
    );
    return report;
  }

  private async deliver(key: string, { payload, contentFormat }: EncodedValue): Promise<void> {
    const { observers, connection } = this;
    const observer = observers.get(key);
    if (!observer) throw new NotObserved(`${key} is not observed`);
    const observeNumber = ++observer.number;
    while (!connection.isClosed()) {
      const open = connection.socket();
      if (!open) {
        await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
        continue;
      }
      const message = { token: observer.token, observeNumber, payload, contentFormat, confirmable: true };
      const outcome = await open.endpoint
        .notify(open.server, { ...message, ackTimeoutMs: connection.ackTimeoutMs, maxRetransmit: 2 })
        .catch(() => 'timed-out' as const);
      if (outcome === 'acknowledged') return;
      if (outcome === 'reset') {
        if (observers.get(key) === observer) observers.delete(key);
        throw new NotObserved(`${key}: the server reset the notification`);
      }
    }
    throw new NotObserved(`${key}: the device is closed`);
  }
}
