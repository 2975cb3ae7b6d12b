/** Events that dispatchers deliver to callbacks while each partition has more events. */
import { createLogger } from '@lanyard/service';
import { KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import { Receiver } from '../application.ts';
import { Expected } from '../dispatch/expected.ts';
import { eventsIn, send, values } from '../dispatch/values.ts';
import type { Scaled } from './scaled.ts';

/** Enough channels that each partition has about the same number. */
const channels = 256;

/** First guess of the events that one replica delivers in a second. */
const firstGuess = 5_000;

/** Events for each replica, after which its code is compiled. */
const warmingEvents = 100_000;

/** The part of the events that is measured, in which no replica has run out of them. */
const counted = { from: 0.15, to: 0.6 };

const timeoutMs = 600_000;

export class Dispatchers {
  scaled: Scaled;
  receiver = new Receiver();
  expected = new Expected(0, 0);
  producer: KafkaProducer;
  kafka: KafkaConnection;
  keys: { keyId: string; accountId: string }[] = [];
  next = 0;
  /** Events that each replica delivered in a second in the last measurement. */
  perSecondEach = firstGuess;
  repeated = 0;

  constructor(scaled: Scaled, brokers: string) {
    const logger = createLogger({ app: 'bench', replicaId: 'bench', level: 'error' });
    this.scaled = scaled;
    this.kafka = new KafkaConnection({ brokers: brokers.split(','), clientId: 'bench', logger });
    this.producer = new KafkaProducer(this.kafka, { source: 'bench' });
  }

  async start() {
    const { administrator, installation } = this.scaled;
    await this.producer.connect();
    await this.receiver.start(installation.cluster.plan.host);
    this.receiver.onMessage = (message) => this.expected.arrive(message);
    for (let n = 0; n < channels; n++) {
      const made = await administrator.call('POST /v3/api-keys', { body: { name: `scaling ${n}` } });
      const url = this.receiver.urlOf(n);
      const application = this.scaled.clientOf(made.key);
      await application.call('PUT /v2/notification/callback', { body: { url } });
      this.keys.push({ keyId: made.id, accountId: made.account_id });
    }
    return this;
  }

  /** Measures delivered events a second. Throws when one is lost or overtaken. */
  async measure(replicas: number, seconds: number) {
    const count = Math.ceil((this.perSecondEach * replicas * seconds) / (counted.to - counted.from));
    await this.deliver(count);
    const rate = this.rate(count);
    this.perSecondEach = rate / replicas;
    return rate;
  }

  warm(replicas: number) {
    return this.deliver(warmingEvents * replicas);
  }

  /** Delivers events. Throws when one is lost or overtaken. */
  async deliver(count: number, withinMs = timeoutMs) {
    const messages = values(this.keys, this.next, count);
    this.expected = new Expected(this.next, count);
    this.next += count;
    await send(this, messages);
    await this.expected.completeWithRepeats(withinMs);
    this.repeated += this.expected.verify();
  }

  private rate(count: number) {
    let events = 0;
    const at = this.expected.arrivals.map(({ atMs, body }) => ({ atMs, events: (events += eventsIn(body)) }));
    const first = at.find((one) => one.events >= count * counted.from);
    const last = at.find((one) => one.events >= count * counted.to);
    if (!first || !last) throw new Error('too few arrivals');
    return ((last.events - first.events) / (last.atMs - first.atMs)) * 1_000;
  }

  async stop() {
    await this.receiver.stop();
    await this.producer.disconnect();
    await this.kafka.close();
  }
}
