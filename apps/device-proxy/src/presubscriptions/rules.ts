import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '@lanyard/contracts';
import { AuditTrail } from '@lanyard/kafka';
import { type Clock, CLOCK } from '@lanyard/service';
import { DataSource, type EntityManager } from 'typeorm';
import { Inject, Injectable } from '@nestjs/common';
import { WakeUps } from '../sessions/wake-ups.js';
import { Presubscription } from './presubscription.entity.js';
import type { PresubscriptionRule } from './rule.js';

export interface RulesOfKey {
  keyId: string;
  rules: PresubscriptionRule[];
}

/** How long a replica that missed the wake-up may apply old rules. */
const freshMs = 2_000;

/** The version changes with every write. Rules of many keys are large, so they are read only when it changes. */
const versionSql = `
  SELECT string_agg(concat_ws(' ', key_id, xmin, changed_at), ',' ORDER BY key_id) AS version
  FROM presubscriptions WHERE account_id = $1`;

interface LastRead {
  rules: readonly RulesOfKey[];
  /** The rules as JSON, for comparison. */
  text: string;
  /** Null when there are no rules. */
  version: string | null;
}

/** Presubscription rules by key. Every registration needs them, so each replica caches those of its accounts. */
@Injectable()
export class Rules {
  /** By account, used for `freshMs`. */
  private readonly cache = new Map<string, { rules: Promise<readonly RulesOfKey[]>; loadedAtMs: number }>();
  /** By account, used again when an entry of `cache` is too old and the rules turn out to be unchanged. */
  private readonly lastRead = new Map<string, LastRead>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly wakeUps: WakeUps,
    private readonly audit: AuditTrail,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    wakeUps.on('rules', ({ accountId }) => void this.cache.delete(accountId));
  }

  /** Returns the same object while the rules are unchanged. */
  ofAccount(accountId: string): Promise<readonly RulesOfKey[]> {
    const cached = this.cache.get(accountId);
    // The absolute difference, so that no rules are kept for longer when the clock is set back.
    if (cached && Math.abs(this.clock.now() - cached.loadedAtMs) < freshMs) return cached.rules;
    const rules = this.load(accountId);
    this.cache.set(accountId, { rules, loadedAtMs: this.clock.now() });
    rules.catch(() => this.cache.delete(accountId));
    return rules;
  }

  /** Makes the next call return another object, although no rule has changed: the rules match other devices than before. */
  renew(accountId: string): void {
    this.cache.delete(accountId);
    this.lastRead.delete(accountId);
  }

  private async load(accountId: string): Promise<readonly RulesOfKey[]> {
    const [{ version }]: [{ version: string | null }] = await this.dataSource.query(versionSql, [accountId]);
    const known = this.lastRead.get(accountId);
    if (known?.version === version) return known.rules;
    const rows = await this.dataSource.manager.find(Presubscription, { where: { accountId }, order: { keyId: 'ASC' } });
    const read = rows.map(({ keyId, rules: list }) => ({ keyId, rules: list }));
    const text = JSON.stringify(read);
    const before = this.lastRead.get(accountId);
    const rules = before?.text === text ? before.rules : read;
    this.lastRead.set(accountId, { rules, text, version });
    return rules;
  }

  async ofKey(keyId: string): Promise<PresubscriptionRule[]> {
    return (await this.dataSource.manager.findOneBy(Presubscription, { keyId }))?.rules ?? [];
  }

  /**
   * Replaces all rules of the key (spec §4.4). `actor`: for the audit trail; absent if the rules are removed because
   * the key may no longer receive values.
   */
  async replace(accountId: string, keyId: string, rules: PresubscriptionRule[], actor?: Actor): Promise<void> {
    const row = { keyId, accountId, rules, changedAt: new Date(this.clock.now()) };
    await this.dataSource.transaction(async (manager) => {
      const before = await manager.findOne(Presubscription, { where: { keyId }, lock: { mode: 'pessimistic_write' } });
      if (rules.length === 0) await manager.delete(Presubscription, { keyId });
      else await manager.upsert(Presubscription, row, ['keyId']);
      if (actor && !isDeepStrictEqual(before?.rules ?? [], rules)) await this.record(manager, actor, row);
    });
    // Errors are ignored: the rules are stored, and replicas that get no message read them within `freshMs`.
    await this.wakeUps.broadcast({ about: 'rules', accountId }).catch(() => undefined);
  }

  private async record(manager: EntityManager, actor: Actor, row: Presubscription): Promise<void> {
    const { keyId, accountId, rules, changedAt } = row;
    const action = rules.length === 0 ? 'SYS_586' : 'SYS_585';
    const target = { kind: 'presubscriptions', id: keyId };
    const data = { rules_count: String(rules.length) };
    await this.audit.record(manager, action, { accountId, actor, target, data }, changedAt);
  }
}
