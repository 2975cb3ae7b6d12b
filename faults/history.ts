/**
 * What happened in one run of a row, as all parties saw it: the producer (invoke, ok), the receivers (when, what, how
 * they answered), and the injected faults. The checker looks at nothing else.
 */
import { writeFileSync } from 'node:fs';
import { readNotification } from './notification.ts';

export type Kind = 'callback' | 'websocket' | 'pull';

/**
 * `endedAtMs`: when the API said that it is gone; `dropped`: how many events the service says it dropped;
 * `droppedUntilMs`: from when on it has nothing more to drop, if that is known
 */
export interface Channel {
  name: string;
  kind: Kind;
  tenant: string;
  endedAtMs?: number;
  dropped?: number;
  droppedUntilMs?: number;
}

/** without `okAtMs` it is not known whether Kafka has it */
export interface Event {
  uid: string;
  device: string;
  sequence: number;
  channels: string[];
  invokedAtMs: number;
  okAtMs?: number;
}

/** what the receiver told the service: it has the events; it does not want them; nothing that counts */
export type Answer = 'accepted' | 'refused' | 'unknown';

export interface Delivery {
  channel: string;
  atMs: number;
  answer: Answer;
  uids: string[];
  problem?: string;
}

/** batches of a channel that a fault may bring twice */
type Excuse = Record<Kind, number>;

/** `afterMs`: how long its effects may last; `forgets`: Redis lost what was confirmed */
export interface Fault {
  name: string;
  fromMs: number;
  toMs: number;
  excuse: Excuse;
  afterMs?: number;
  forgets?: boolean;
}

/** Batches under way to a channel of each kind (a callback's next is sent while one is confirmed; a socket has a window). */
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
  /** Ids of events that Kafka has more than once: so do channels. */
  twiceInKafka: ReadonlySet<string> = new Set();
  /** By channel. */
  #arrived = new Map<string, Set<string>>();
  /** By channel: what Kafka has and has not arrived. */
  #owed = new Map<string, Set<string>>();

  addChannel(channel: Channel) {
    this.channels.set(channel.name, channel);
    this.#arrived.set(channel.name, new Set());
    this.#owed.set(channel.name, new Set());
  }

  invoke(event: Event) {
    this.events.set(event.uid, event);
  }

  /** Kafka has it. */
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

  /** The channel is gone: what did not arrive will not. */
  end(name: string, atMs = Date.now()) {
    const channel = this.channels.get(name);
    if (channel) channel.endedAtMs = atMs;
  }

  /**
   * Deliveries that are missing now, channels that ended left out. Asked for all the time while receivers and proxies
   * wait for this process: it must not take longer with the length of the history.
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
