import type { Actor, OperatorAction, Target } from '@lanyard/contracts';
import { type Identity, mustMatch } from '@lanyard/service';

/** Who asks for a change, in which account, and of which version of the record. */
export interface By {
  caller: Identity;
  /** The caller's own, unless an administrator of the installation acts in another. */
  accountId: string;
  /** The If-Match header. */
  ifMatch?: string | undefined;
}

export const by = (caller: Identity, ifMatch?: string, accountId = caller.accountId): By => ({
  caller,
  accountId,
  ifMatch,
});

export const actorOf = ({ keyId, accountId, requestId }: Identity): Actor => ({ keyId, accountId, requestId });

/** Throws EtagDiffers when the caller meant another version. */
export const mustBeMeant = ({ ifMatch }: By, { revision }: { revision: number }): void =>
  mustMatch(ifMatch, String(revision));

/** A change as the event log records it. `changes`: fields whose value differs now. */
export interface AuditAction {
  action: OperatorAction;
  target: Target;
  changes?: Record<string, string>;
  data?: Record<string, string>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Fields of two records of one thing that differ, as they are now. */
export const differences = (before: object, now: object): Record<string, string> => {
  const old = before as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(now)
      .filter(([name, value]) => !['updated_at', 'etag'].includes(name) && textOf(old[name]) !== textOf(value))
      .map(([name, value]) => [name, textOf(value)]),
  );
};
