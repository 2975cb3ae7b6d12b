/**
 * The events in one run of a row, as all parties saw them: the producer (invoke, ok), the receivers (when, what, how
 * they answered), and the injected faults. The checker uses nothing else.
 */
import { writeFileSync } from 'node:fs';
import { readNotification } from './notification.ts';

export type Kind = 'callback' | 'websocket' | 'pull';

/**
 * `endedAtMs`: when the API reported that the channel is gone; `dropped`: how many events the service reports as dropped;
 * `droppedUntilMs`: the time after which nothing more is dropped, if it is known
 */
export interface Channel {
  name: string;
  kind: Kind;
  tenant: string;
  endedAtMs?: number;
  dropped?: number;
  droppedUntilMs?: number;
}

/** Without `okAtMs`, it is unknown whether Kafka has the event */
export interface Event {
  uid: string;
  device: string;
  sequence: number;
  channels: string[];
  invokedAtMs: number;
  okAtMs?: number;
}

/** The receiver's answer to the service: it has the events; it does not want them; no valid answer */
export type Answer = 'accepted' | 'refused' | 'unknown';

export interface Delivery {
  channel: string;
  atMs: number;
  answer: Answer;
  uids: string[];
  problem?: string;
}

/** Batches of each kind of channel that a fault may cause to be sent again */
type Excuse = Record<Kind, number>;

/** `afterMs`: how long its effects may last; `forgets`: Redis lost confirmed writes */
export interface Fault {
  name: string;
  fromMs: number;
  toMs: number;
  excuse: Excuse;
  afterMs?: number;
  forgets?: boolean;
}

/** Batches in flight to a channel of each kind (a callback's next one is sent while one is confirmed; a socket has a window). */
const inFlight = Object.freeze({ callback: 2, websocket: 8, pull: 1 });

export const excuses = (times: number): Excuse => ({
  callback: inFlight.callback * times,
  websocket: inFlight.websocket * times,
  pull: inFlight.pull * times,
});

export class History {
  channels = new Map<string, Channel>();
  events = new Map<string, Event>();
  deliveries: Delivery[] = [];
  faults: Fault[] = [];
  /** Ids of events that are more than once in Kafka, and therefore also in channels. */
  twiceInKafka: ReadonlySet<string> = new Set();
  /** Ids of arrived events, by channel. */
  #arrived = new Map<string, Set<string>>();
  /** Ids of events that Kafka has but that have not arrived, by channel. */
  #owed = new Map<string, Set<string>>();

  addChannel(channel: Channel) {
    this.channels.set(channel.name, channel);
    this.#arrived.set(channel.name, new Set());
    this.#owed.set(channel.name, new Set());
  }

  invoke(event: Event) {
    this.events.set(event.uid, event);
  }

  /** Kafka has stored the event. */
  ok(uid: string, atMs = Date.now()) {
    const event = this.events.get(uid) as Event;
    event.okAtMs = atMs;
    for (const name of event.channels) if (!this.#arrived.get(name)?.has(uid)) this.#owed.get(name)?.add(uid);
  }

  deliver(channel: string, text: string, answer: Answer, atMs = Date.now()) {
    const { items, problem } = readNotification(text);
    const uids = items.map(({ uid }) => uid);
    const delivery: Delivery = { channel, atMs, answer, uids, ...(problem && { problem }) };
    const strange = items.find(({ uid, ep }) => this.events.get(uid)?.device !== ep && this.events.has(uid));
    if (strange) delivery.problem ??= `event ${strange.uid} says that it is of device ${strange.ep}`;
    this.deliveries.push(delivery);
    if (answer !== 'accepted') return;
    const [arrived, owed] = [this.#arrived.get(channel), this.#owed.get(channel)];
    for (const uid of uids) {
      arrived?.add(uid);
      owed?.delete(uid);
    }
  }

  /** The channel was deleted: events that have not arrived will not arrive. */
  end(name: string, atMs = Date.now()) {
    const channel = this.channels.get(name);
    if (channel) channel.endedAtMs = atMs;
  }

  /**
   * Deliveries that are missing now, without channels that ended. Called all the time while receivers and proxies wait for
   * this process, so it must not take longer as the history grows.
   */
  missing() {
    let count = 0;
    for (const [name, owed] of this.#owed) if (this.channels.get(name)?.endedAtMs === undefined) count += owed.size;
    return count;
  }

  /** One JSON object a line. */
  save(path: string) {
    const lines = [
      ...[...this.channels.values()].map((channel) => ({ channel })),
      ...this.faults.map((fault) => ({ fault })),
      ...[...this.events.values()].map((event) => ({ event })),
      ...this.deliveries.map((delivery) => ({ delivery })),
    ];
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}
