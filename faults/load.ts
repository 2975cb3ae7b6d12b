/** Devices that report continuously: each event is recorded before it is sent, and again when Kafka has it. */
import { DeviceSessions, DeviceValues, encodeMessage } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { payloadOf } from './notification.ts';
import type { KafkaProducer } from '@lanyard/kafka';
import type { History } from './history.ts';
import type { Random } from '../tools/testing/random.ts';

const tickMs = 20;

/** `channels`: where its events belong; for sessions, all channels of the tenant; `producer`: one with its own clock */
export interface Device {
  id: string;
  tenant: string;
  sequence: number;
  kind: 'values' | 'sessions';
  keyIds: string[];
  channels: string[];
  producer?: KafkaProducer;
}

export class Load {
  devices: Device[] = [];
  produced = 0;
  /** The most bytes up to which payloads are filled. */
  payloadBytesMax = 300;
  /** Added to the times in messages, from which the age of events counts. */
  shiftMs = 0;
  pending = new Set<Promise<void>>();
  timer: NodeJS.Timeout | undefined;
  producer: KafkaProducer;
  history: History;
  random: Random;
  name: string;

  /** @param name prefix of every uid */
  constructor(producer: KafkaProducer, history: History, random: Random, name: string) {
    this.producer = producer;
    this.history = history;
    this.random = random;
    this.name = name;
  }

  addDevice(device: Omit<Device, 'id' | 'sequence'>) {
    this.devices.push({ ...device, id: newId(), sequence: 0 });
  }

  start(perSecond: number) {
    const startedAt = performance.now();
    let sent = 0;
    this.timer = setInterval(() => {
      const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
      for (; sent < due; sent++) this.produce(this.pick());
    }, tickMs);
  }

  /** Sessions change rarely. */
  pick() {
    const device = this.random.pick(this.devices);
    return device.kind === 'sessions' && this.random.chance(0.75) ? this.random.pick(this.devices) : device;
  }

  /** Stops; resolves when it is known of each event whether Kafka has it. */
  async stop() {
    clearInterval(this.timer);
    while (this.pending.size > 0) await Promise.all(this.pending);
  }

  produce(device: Device) {
    const uid = `${this.name}-${this.produced++}`;
    const sequence = device.sequence++;
    this.history.invoke({ uid, device: device.id, sequence, channels: device.channels, invokedAtMs: Date.now() });
    const sent = this.send(device, uid, sequence).then(
      () => this.history.ok(uid),
      // It is unknown whether Kafka has the event.
      () => undefined,
    );
    this.pending.add(sent);
    void sent.then(() => this.pending.delete(sent));
  }

  send(device: Device, uid: string, sequence: number) {
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
            change: 'updated' as const,
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
          cause: 'notify' as const,
          sequence,
          observedAt: at,
          audience: device.keyIds,
        },
        meta,
      ),
    );
  }
}
