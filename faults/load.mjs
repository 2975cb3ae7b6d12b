/** Devices that report without pause: each event is noted before it is sent, and again when Kafka has it. */
import { DeviceSessions, DeviceValues, encodeMessage } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { payloadOf } from './notification.mjs';

const tickMs = 20;

/**
 * @typedef {{ id: string, tenant: string, sequence: number, kind: 'values' | 'sessions', keyIds: string[], channels: string[],
 *   producer?: import('@lanyard/kafka').KafkaProducer }} Device
 *   `channels`: where its events belong; of sessions, all of the tenant; `producer`: one with a clock of its own
 */

export class Load {
  /** @type {Device[]} */
  devices = [];
  produced = 0;
  /** Bytes that payloads are filled up to, at most. */
  payloadBytesMax = 300;
  /** Stamped on messages: events age from here. */
  shiftMs = 0;
  /** @type {Set<Promise<void>>} */
  pending = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  timer;

  /**
   * @param {import('@lanyard/kafka').KafkaProducer} producer @param {import('./history.mjs').History} history
   * @param {import('./random.mjs').Random} random @param {string} name in front of every uid
   */
  constructor(producer, history, random, name) {
    this.producer = producer;
    this.history = history;
    this.random = random;
    this.name = name;
  }

  /** @param {Omit<Device, 'id' | 'sequence'>} device */
  addDevice(device) {
    this.devices.push({ ...device, id: newId(), sequence: 0 });
  }

  /** @param {number} perSecond */
  start(perSecond) {
    const startedAt = performance.now();
    let sent = 0;
    this.timer = setInterval(() => {
      const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
      for (; sent < due; sent++) this.produce(this.pick());
    }, tickMs);
  }

  /** Sessions change seldom. */
  pick() {
    const device = this.random.pick(this.devices);
    return device.kind === 'sessions' && this.random.chance(0.75) ? this.random.pick(this.devices) : device;
  }

  /** No more; resolves when it is known of each event whether Kafka has it. */
  async stop() {
    clearInterval(this.timer);
    while (this.pending.size > 0) await Promise.all(this.pending);
  }

  /** @param {Device} device */
  produce(device) {
    const uid = `${this.name}-${this.produced++}`;
    const sequence = device.sequence++;
    this.history.invoke({ uid, device: device.id, sequence, channels: device.channels, invokedAtMs: Date.now() });
    const sent = this.send(device, uid, sequence).then(
      () => this.history.ok(uid),
      // Not known whether Kafka has it.
      () => undefined,
    );
    this.pending.add(sent);
    void sent.then(() => this.pending.delete(sent));
  }

  /** @param {Device} device @param {string} uid @param {number} sequence */
  send(device, uid, sequence) {
    const common = { deviceId: device.id, accountId: device.tenant, endpointName: device.id, epoch: sequence };
    const { producer = this.producer } = device;
    const meta = { source: 'faults', id: uid };
    const at = new Date(Date.now() + this.shiftMs).toISOString();
    if (device.kind === 'sessions')
      return producer.sendEncoded(
        DeviceSessions,
        encodeMessage(
          DeviceSessions,
          {
            ...common,
            item: { ep: device.id, ept: uid },
            change: /** @type {const} */ ('updated'),
            sessionId: 'session',
            firstContact: false,
            occurredAt: at,
          },
          meta,
        ),
      );
    const payload = payloadOf(uid, this.random.int(0, this.payloadBytesMax));
    return producer.sendEncoded(
      DeviceValues,
      encodeMessage(
        DeviceValues,
        {
          ...common,
          item: { ep: device.id, path: '/3303/0/5700', ct: 'text/plain', payload, 'max-age': 60 },
          cause: /** @type {const} */ ('notify'),
          sequence,
          observedAt: at,
          audience: device.keyIds,
        },
        meta,
      ),
    );
  }
}
