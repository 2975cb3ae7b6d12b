/** Devices that report without pause: each event is noted before it is sent, and again when Kafka has it. */
import { DeviceSessions, DeviceValues, encodeMessage } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { payloadOf } from './notification.ts';
import type { KafkaProducer } from '@lanyard/kafka';
import type { History } from './history.ts';
import type { Random } from '../tools/testing/random.ts';

const tickMs = 20;

/** `channels`: where its events belong; of sessions, all of the tenant; `producer`: one with a clock of its own */
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
  /** Bytes that payloads are filled up to, at most. */
  payloadBytesMax = 300;
  /** Stamped on messages: events age from here. */
  shiftMs = 0;
  pending = new Set<Promise<void>>();
  timer: NodeJS.Timeout | undefined;
  producer: KafkaProducer;
  history: History;
  random: Random;
  name: string;

  /** @param name in front of every uid */
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

  produce(device: Device) {
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
