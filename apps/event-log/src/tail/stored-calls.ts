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

  /** Rejects when PostgreSQL cannot be reached; from then on it reconnects by itself. */
  async start(): Promise<void> {
    const client = new pg.Client({ connectionString: this.databaseUrl, application_name: 'event-log-calls' });
    let lost = false;
    const lose = (err?: unknown): void => {
      if (lost || this.stopping) return;
      lost = true;
      this.logger.warn({ err }, 'no calls from PostgreSQL, connecting again');
      this.again();
    };
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', ({ payload }) => this.grown(payload || undefined));
    await client.connect();
    await client.query(`LISTEN ${storedChannel}`);
    this.client = client;
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
