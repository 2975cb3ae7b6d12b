import type { EncodedMessage, Headers } from '@lanyard/contracts';
import type { Logger, Metrics } from '@lanyard/service';
import type pg from 'pg';
import { outboxChannel } from './outbox.js';
import { newRelaySession, relaySettings } from './relay-session.js';

export interface OutboxRelayOptions {
  databaseUrl: string;
  schema: string;
  /** Where rows go; a KafkaProducer that has the same name in every replica, and nothing else to send. */
  producer: {
    takeOver?(): Promise<void>;
    sendEncoded(topic: { name: string }, message: EncodedMessage): Promise<void>;
  };
  logger: Logger;
  metrics?: Metrics;
  /** How long a leader may be silent before PostgreSQL ends its session. Default: 15 s. */
  silenceMaxMs?: number;
}

interface Row {
  id: string;
  topic: string;
  message_key: string;
  value: Buffer | null;
  headers: Headers;
  age_seconds: number;
  /** Bytes of the page up to this row. */
  bytes: number;
}

/** Bounds of a page: a process that has just started holds no more of a backlog. */
const pageRowsMax = 1_000;
const pageBytesMax = 8 * 1_048_576;

/** Neither length reads a value that PostgreSQL stores outside the row. */
export const pageSql = (table: string): string => `
  SELECT id, topic, message_key, value, headers, extract(epoch FROM now() - created_at)::float AS age_seconds, bytes
  FROM (
    SELECT *, sum(length) OVER (ORDER BY id)::float AS bytes
    FROM (
      SELECT *, coalesce(octet_length(value), 0) + pg_column_size(headers) AS length
      FROM ${table} ORDER BY id LIMIT ${pageRowsMax}
    ) oldest
  ) page
  WHERE bytes - length < ${pageBytesMax} ORDER BY id`;

/**
 * How often a replica tries to take over from a leader that may be dead, while there is something to send. It does not
 * wait in pg_advisory_lock(): the snapshot of a statement that waits keeps PostgreSQL from removing dead rows, in the
 * outboxes of all services too, and a replica that is suspended would be given the lock.
 */
const pollMs = 200;

/** How often replicas poll without a wake-up, which is lost when a process exits between its commit and the call. */
const idlePollMs = 1_000;

/**
 * When there was nothing to send for this long, a replica that does not lead listens for wake-ups. Before that, wake-ups could
 * cost more than its polls do.
 */
const quietMs = 10_000;
const reconnectMs = 500;

const defaultSilenceMaxMs = 15_000;

/**
 * After this time, the relay takes over the name of its producer again: Kafka forgets a name that is unused for a week,
 * and its sequence numbers sooner.
 */
const termMs = 86_400_000;

/** After how long Kafka is asked again for a producer epoch that it did not give. */
const fenceAgainMs = 600_000;

/** First half of the advisory lock's key; the second is the schema. */
const lockSpace = 0x0b0c;

/**
 * Sends the rows of an outbox in order and deletes them once Kafka has them. One replica at a time, by an advisory
 * lock that ends with its session: a crash between sending and deleting repeats messages, never loses one. A leader that
 * is suspended or isolated loses its session, and checks that it still has it before it sends. Kafka refuses what such a leader
 * is sending just then, because its successor has taken over the producer's name before (docs/adr/0017).
 */
export class OutboxRelay {
  private running: Promise<void> | undefined;
  private stopping = false;
  private leading = false;
  private wake: (() => void) | undefined;
  /** A wake-up arrived since the last poll. */
  private called = false;
  private termEndsAtMs = 0;
  private readonly silenceMaxMs: number;

  constructor(private readonly options: OutboxRelayOptions) {
    this.silenceMaxMs = options.silenceMaxMs ?? defaultSilenceMaxMs;
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Sends what is there, then ends. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.poke();
    await this.running;
  }

  /** Wakes the relay: there may be something to send. */
  poke(): void {
    this.called = true;
    this.wake?.();
  }

  /** The same as `poke` if this replica leads; otherwise false. */
  pokeLeader(): boolean {
    if (this.leading) this.poke();
    return this.leading;
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const { databaseUrl, schema } = this.options;
      const client = newRelaySession(databaseUrl, `${schema}-outbox`, this.silenceMaxMs);
      let broken = false;
      client.on('error', () => {
        broken = true;
        this.poke();
      });
      try {
        await client.connect();
        await client.query(relaySettings(this.silenceMaxMs));
        await this.lead(client, () => broken);
      } catch (error) {
        this.options.logger.warn({ err: error, schema }, 'outbox relay failed, will be retried');
        await this.pause(reconnectMs);
      } finally {
        this.leading = false;
        await client.end().catch(() => undefined);
      }
    }
  }

  private async lead(client: pg.Client, isBroken: () => boolean): Promise<void> {
    client.on('notification', () => this.poke());
    await this.follow(client, isBroken);
    while (this.leading && !isBroken()) {
      this.called = false;
      if (await this.relay(client)) continue;
      if (this.stopping) return;
      // A wake-up during the request may announce more rows.
      if (!this.called) await this.pause(idlePollMs);
    }
    if (isBroken()) throw new Error('database connection lost');
  }

  /** Resolves when this replica leads, is to stop, or has lost its connection. */
  private async follow(client: pg.Client, isBroken: () => boolean): Promise<void> {
    const channel = client.escapeIdentifier(outboxChannel(this.options.schema));
    let isListening = false;
    let quietAtMs = 0;
    while (!isBroken()) {
      const { won, isBehind } = await this.tryToLead(client);
      if (won) {
        await client.query(`LISTEN ${channel}`);
        this.termEndsAtMs = 0;
        this.leading = true;
        return;
      }
      this.reportLag(undefined);
      if (this.stopping) return;
      if (isBehind || (isListening && this.called)) quietAtMs = performance.now() + quietMs;
      this.called = false;
      const isQuiet = performance.now() >= quietAtMs;
      if (isQuiet !== isListening) {
        await client.query(`${isQuiet ? 'LISTEN' : 'UNLISTEN'} ${channel}`);
        isListening = isQuiet;
        // Something may have been announced before this replica listened.
        if (isListening) continue;
      }
      if (!this.called) await this.pause(isListening ? idlePollMs : pollMs);
    }
  }

  /** `isBehind`: there is something to send. */
  private async tryToLead(client: pg.Client): Promise<{ won: boolean; isBehind: boolean }> {
    const { schema } = this.options;
    // Not EXISTS, which reads the rows that were deleted since the last vacuum.
    const { rows } = await client.query<{ won: boolean; isBehind: boolean }>(
      `SELECT pg_try_advisory_lock($1, hashtext($2)) AS won,
         (SELECT id FROM ${this.tableOf(client)} ORDER BY id LIMIT 1) IS NOT NULL AS "isBehind"`,
      [lockSpace, schema],
    );
    return rows[0] ?? { won: false, isBehind: false };
  }

  private tableOf(client: pg.Client): string {
    return `${client.escapeIdentifier(this.options.schema)}.outbox_messages`;
  }

  /** Sends a page. True when it was full: more rows may follow. */
  private async relay(client: pg.Client): Promise<boolean> {
    const { producer } = this.options;
    const table = this.tableOf(client);
    let answeredAtMs = performance.now();
    const { rows } = await client.query<Row>({ name: 'page', text: pageSql(table) });
    this.reportLag(rows[0]?.age_seconds ?? 0);
    const last = rows.at(-1);
    if (!last) return false;
    if (performance.now() >= this.termEndsAtMs) {
      await this.keepAliveUntil(this.takeOver(), client);
      // If the session was lost meanwhile, this term may be later than that of the successor, and Kafka would refuse nothing of it.
      answeredAtMs = -Infinity;
    }
    await this.mustLead(client, answeredAtMs);
    const sending = rows.map((row) =>
      producer.sendEncoded({ name: row.topic }, { key: row.message_key, value: row.value, headers: row.headers }),
    );
    await this.keepAliveUntil(Promise.all(sending), client);
    const ids = rows.map((row) => row.id);
    await client.query({ name: 'sent', text: `DELETE FROM ${table} WHERE id = ANY($1)`, values: [ids] });
    return rows.length === pageRowsMax || last.bytes >= pageBytesMax;
  }

  /** Called before `mustLead`: a relay that detects a pause there has not sent anything in its new term. */
  private async takeOver(): Promise<void> {
    const { producer, schema, logger } = this.options;
    let lastsMs = termMs;
    try {
      await producer.takeOver?.();
    } catch (error) {
      lastsMs = fenceAgainMs;
      logger.warn({ err: error, schema }, 'outbox is relayed without a fence: Kafka gave no producer epoch');
    }
    this.termEndsAtMs = performance.now() + lastsMs;
  }

  /** Throws when the session has ended. A session that answered recently has not: a pause before the answer does not matter. */
  private async mustLead(client: pg.Client, answeredAtMs: number): Promise<void> {
    while (performance.now() - answeredAtMs > this.silenceMaxMs / 2) {
      answeredAtMs = performance.now();
      await client.query('SELECT 1');
    }
  }

  /** Keeps the session alive until `work` ends: Kafka may take longer than the session may be silent. */
  private async keepAliveUntil(work: Promise<unknown>, client: pg.Client): Promise<void> {
    const keepAlive = setInterval(() => {
      client.query('SELECT 1').catch(() => undefined);
    }, this.silenceMaxMs / 10);
    try {
      await work;
    } finally {
      clearInterval(keepAlive);
    }
  }

  /** undefined: another replica leads and reports the lag; the last value of this one would otherwise stay in its metrics. */
  private reportLag(seconds: number | undefined): void {
    const { metrics, schema } = this.options;
    const gauge = metrics?.gauge({
      name: 'lanyard_outbox_lag_seconds',
      help: 'Age of the oldest announcement not yet in Kafka',
      labelNames: ['schema'],
    });
    if (seconds === undefined) gauge?.remove({ schema });
    else gauge?.set({ schema }, seconds);
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.wake = done;
    });
  }
}
