import type { Logger } from '@lanyard/service';
import pg from 'pg';
import { storedChannel } from '../log/entries.store.js';

const reconnectMs = 500;

/** Hears from PostgreSQL whose log has grown, whichever replica wrote it. */
export class StoredCalls {
  private client: pg.Client | undefined;
  private stopping = false;
  private timer: NodeJS.Timeout | undefined;

  /** `grown`: of an account; undefined: calls may have been missed, anybody's may have. */
  constructor(
    private readonly databaseUrl: string,
    private readonly logger: Logger,
    private readonly grown: (accountId: string | undefined) => void,
  ) {}

  /** Rejects when PostgreSQL cannot be reached; once it resolved, it reconnects by itself. */
  async start(): Promise<void> {
    const client = new pg.Client({ connectionString: this.databaseUrl, application_name: 'event-log-calls' });
    this.client = client;
    let isListening = false;
    const lose = (err?: unknown): void => {
      // Before, it is the one who started that hears of it; both would make two connections of one.
      if (!isListening || this.stopping) return;
      isListening = false;
      this.logger.warn({ err }, 'no calls from PostgreSQL, connecting again');
      this.again();
    };
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', ({ payload }) => this.grown(payload || undefined));
    try {
      await client.connect();
      await client.query(`LISTEN ${storedChannel}`);
    } catch (err) {
      await client.end().catch(() => undefined);
      throw err;
    }
    isListening = true;
    this.grown(undefined);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  private again(): void {
    this.timer = setTimeout(() => {
      this.start().catch((err: unknown) => {
        this.logger.warn({ err }, 'PostgreSQL is away, connecting again');
        if (!this.stopping) this.again();
      });
    }, reconnectMs);
  }
}
