import { DeviceEvents, type DeviceEventReported } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { BackgroundWork, Metrics, newId } from '@lanyard/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Refusals of one kind, key and address within this time are one entry. */
export const periodMs = 60_000;

/** Entries of one account and period; further refusals share one entry without key and address. */
export const entriesMax = 20;

/** Accounts of one period. Only existing accounts count, so this bounds memory only. */
const accountsMax = 1_000;

const codes = { unauthenticated: 'SYS_410', denied: 'SYS_411' } as const;

export interface Refusal {
  kind: keyof typeof codes;
  /** The account whose log it belongs to; undefined (the installation's) if no existing key was named. */
  accountId: string | undefined;
  keyId?: string;
  address: string;
  requestId?: string;
  /** The declared route that was denied, never the path that the client wrote. */
  operation?: string;
}

interface Counted extends Refusal {
  count: number;
  firstMs: number;
  lastMs: number;
}

/** Stands for the account of the installation, whose id is read when the entries are written. */
const noAccount = '';

/**
 * Puts refused requests into the event log of the account: counted in memory and written once a minute, so that a client
 * that guesses fills neither the log nor PostgreSQL. A crash loses a minute of them.
 */
@Injectable()
export class Refusals extends BackgroundWork implements OnApplicationShutdown {
  private counted = new Map<string, Map<string, Counted>>();
  private readonly total;

  constructor(
    private readonly database: DataSource,
    private readonly outbox: Outbox,
    metrics: Metrics,
  ) {
    super(periodMs, 'refused requests of the last minute are not in the event log');
    this.total = metrics.counter({
      name: 'lanyard_gateway_refused_requests_total',
      help: 'Requests without a valid key, and requests that a key may not make',
      labelNames: ['kind'],
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.deadline.step('refused requests', () => this.step());
  }

  recordRefusal(refusal: Refusal): void {
    this.total.inc({ kind: refusal.kind });
    const account = refusal.accountId ?? noAccount;
    let entries = this.counted.get(account);
    if (!entries) {
      if (this.counted.size >= accountsMax) return;
      this.counted.set(account, (entries = new Map<string, Counted>()));
    }
    const { kind, keyId, address } = refusal;
    const name = `${kind} ${keyId ?? ''} ${address}`;
    const now = this.clock.now();
    const known = entries.get(name);
    if (known) {
      Object.assign(known, { ...refusal, count: known.count + 1, lastMs: now });
    } else if (entries.size < entriesMax) {
      entries.set(name, { ...refusal, count: 1, firstMs: now, lastMs: now });
    } else {
      const others = entries.get(kind) ?? {
        kind,
        accountId: refusal.accountId,
        address: 'others',
        count: 0,
        firstMs: now,
      };
      entries.set(kind, { ...others, count: others.count + 1, lastMs: now });
    }
  }

  protected async step(): Promise<void> {
    const counted = this.counted;
    if (counted.size === 0) return;
    this.counted = new Map();
    await this.database.transaction(async (manager) => {
      const installation = counted.has(noAccount) ? await this.installationAccount() : noAccount;
      const entries = [...counted].flatMap(([account, refusals]) =>
        [...refusals.values()].map((refusal) => this.entry(refusal, account === noAccount ? installation : account)),
      );
      await this.outbox.appendAll(manager, DeviceEvents, entries);
    });
  }

  private async installationAccount(): Promise<string> {
    const [row] = await this.database.query<{ id: string }[]>('SELECT id FROM accounts WHERE parent_id IS NULL');
    return (row as { id: string }).id;
  }

  private entry(
    { kind, keyId, address, requestId, operation, ...seen }: Counted,
    accountId: string,
  ): DeviceEventReported {
    return {
      eventId: newId(seen.lastMs),
      accountId,
      eventCode: codes[kind],
      description:
        kind === 'denied'
          ? 'Requests that the key may not make were denied'
          : 'Requests without a valid key were refused',
      data: {
        address,
        count: String(seen.count),
        first_at: new Date(seen.firstMs).toISOString(),
        ...(keyId !== undefined && { target: 'api-key', target_id: keyId }),
        ...(operation !== undefined && { operation }),
        ...(requestId !== undefined && { request_id: requestId }),
      },
      occurredAt: new Date(seen.lastMs).toISOString(),
    };
  }
}
