import { CONFIG, keptAlive, type Logger, LOGGER, type ServiceConfig, StopDeadline } from '@lanyard/service';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import pg from 'pg';
import { storedChannel } from '../log/entries.store.js';

const reconnectMs = 500;

/** Limit for connecting and logging in: whatever accepts connections on behalf of PostgreSQL may never answer. */
const connectTimeoutMs = 5_000;

/** `accountId`: undefined if notifications may have been missed, and the log of any account may have grown. */
export type AppendListener = (accountId: string | undefined) => void;

/** PostgreSQL notifies every replica of the accounts whose log has grown, whichever replica wrote the entries. */
@Injectable()
export class AppendNotifications implements OnModuleInit, OnApplicationShutdown {
  private readonly listeners = new Set<AppendListener>();
  private client: pg.Client | undefined;
  private stopping = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<ServiceConfig, 'secrets'>,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly deadline: StopDeadline,
  ) {}

  onAppend(listener: AppendListener): void {
    this.listeners.add(listener);
  }

  /** Streams that open later miss nothing. */
  async onModuleInit(): Promise<void> {
    await this.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.deadline.step('notifications', () => this.stop());
  }

  /** Rejects if PostgreSQL cannot be reached; after it has resolved, it reconnects automatically. */
  async start(): Promise<void> {
    const client = new pg.Client({
      ...keptAlive,
      connectionString: this.config.secrets.databaseUrl,
      connectionTimeoutMillis: connectTimeoutMs,
      application_name: 'event-log-notifications',
    });
    this.client = client;
    let isListening = false;
    const onLost = (err?: unknown): void => {
      // Before the client listens, start() rejects, and its caller decides what follows: reconnecting here, too, would
      // open a second connection.
      if (!isListening || this.stopping) return;
      isListening = false;
      this.logger.warn({ err }, 'no notifications from PostgreSQL: reconnecting');
      this.reconnect();
    };
    client.on('error', onLost);
    client.on('end', onLost);
    client.on('notification', ({ payload }) => this.notify(payload || undefined));
    try {
      await client.connect();
      await client.query(`LISTEN ${storedChannel}`);
    } catch (err) {
      await client.end().catch(() => undefined);
      throw err;
    }
    isListening = true;
    this.notify(undefined);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  private notify(accountId: string | undefined): void {
    for (const listener of this.listeners) listener(accountId);
  }

  private reconnect(): void {
    this.timer = setTimeout(() => {
      this.start().catch((err: unknown) => {
        this.logger.warn({ err }, 'PostgreSQL is down, reconnecting');
        if (!this.stopping) this.reconnect();
      });
    }, reconnectMs);
  }
}
