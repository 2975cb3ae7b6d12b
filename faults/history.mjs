/**
 * What happened in one run of a row, as all parties saw it: the producer (invoke, ok), the receivers (when, what, how
 * they answered), and the injected faults. The checker looks at nothing else.
 */
import { writeFileSync } from 'node:fs';
import { readNotification } from './notification.mjs';

/**
 * @typedef {'callback' | 'websocket' | 'pull'} Kind
 * @typedef {{ name: string, kind: Kind, tenant: string, endedAtMs?: number, dropped?: number, droppedUntilMs?: number }} Channel
 *   `endedAtMs`: when the API said that it is gone; `dropped`: how many events the service says it dropped;
 *   `droppedUntilMs`: from when on it has nothing more to drop, if that is known
 * @typedef {{ uid: string, device: string, sequence: number, channels: string[], invokedAtMs: number, okAtMs?: number }} Event
 *   without `okAtMs` it is not known whether Kafka has it
 * @typedef {'accepted' | 'refused' | 'unknown'} Answer
 *   what the receiver told the service: it has the events; it does not want them; nothing that counts
 * @typedef {{ channel: string, atMs: number, answer: Answer, uids: string[], problem?: string }} Delivery
 * @typedef {Record<Kind, number>} Excuse batches of a channel that a fault may bring twice
 * @typedef {{ name: string, fromMs: number, toMs: number, excuse: Excuse, afterMs?: number, forgets?: boolean }} Fault
 *   `afterMs`: how long its effects may last; `forgets`: Redis lost what was confirmed
 */

/** Batches under way to a channel of each kind (a callback's next is sent while one is confirmed; a socket has a window). */
const underWay = Object.freeze({ callback: 2, websocket: 8, pull: 1 });

/** @param {number} times @returns {Excuse} */
export const excuses = (times) => ({
  callback: underWay.callback * times,
  websocket: underWay.websocket * times,
  pull: underWay.pull * times,
});

export class History {
  /** @type {Map<string, Channel>} */
  channels = new Map();
  /** @type {Map<string, Event>} */
  events = new Map();
  /** @type {Delivery[]} */
  deliveries = [];
  /** @type {Fault[]} */
  faults = [];
  /** Ids of events that Kafka has more than once: so do channels. @type {ReadonlySet<string>} */
  twiceInKafka = new Set();
  /** By channel. @type {Map<string, Set<string>>} */
  #arrived = new Map();
  /** By channel: what Kafka has and has not arrived. @type {Map<string, Set<string>>} */
  #owed = new Map();

  /** @param {Channel} channel */
  addChannel(channel) {
    this.channels.set(channel.name, channel);
    this.#arrived.set(channel.name, new Set());
    this.#owed.set(channel.name, new Set());
  }

  /** @param {Event} event */
  invoke(event) {
    this.events.set(event.uid, event);
  }

  /** Kafka has it. @param {string} uid */
  ok(uid, atMs = Date.now()) {
    const event = /** @type {Event} */ (this.events.get(uid));
    event.okAtMs = atMs;
    for (const name of event.channels) if (!this.#arrived.get(name)?.has(uid)) this.#owed.get(name)?.add(uid);
  }

  /** @param {string} channel @param {string} text @param {Answer} answer */
  deliver(channel, text, answer, atMs = Date.now()) {
    const { items, problem } = readNotification(text);
    const uids = items.map(({ uid }) => uid);
    /** @type {Delivery} */
    const delivery = { channel, atMs, answer, uids, ...(problem && { problem }) };
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

  /** The channel is gone: what did not arrive will not. @param {string} name */
  end(name, atMs = Date.now()) {
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

  /** One JSON object a line. @param {string} path */
  save(path) {
    const lines = [
      ...[...this.channels.values()].map((channel) => ({ channel })),
      ...this.faults.map((fault) => ({ fault })),
      ...[...this.events.values()].map((event) => ({ event })),
      ...this.deliveries.map((delivery) => ({ delivery })),
    ];
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}
