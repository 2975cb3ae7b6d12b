import type { Actor, OperatorAction, Target } from '@lanyard/contracts';
import { type Identity, mustMatch, type RequestContext } from '@lanyard/service';

export const actorOf = ({ keyId, accountId, requestId }: Identity): Actor => ({ keyId, accountId, requestId });

/** Throws EtagDiffers if the caller meant another version. */
export const requireIfMatch = (
  { ifMatch }: Pick<RequestContext, 'ifMatch'>,
  { revision }: { revision: number },
): void => mustMatch(ifMatch, String(revision));

/** A change as the event log records it. `changes`: fields with a new value. */
export interface AuditAction {
  action: OperatorAction;
  target: Target;
  changes?: Record<string, string>;
  data?: Record<string, string>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The fields that differ between two versions of a record, with their new values; one that was removed is empty. */
export const differences = (before: object, now: object): Record<string, string> => {
  const old = before as Record<string, unknown>;
  const changed = now as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys({ ...old, ...changed })
      .filter((name) => !['updated_at', 'etag'].includes(name) && textOf(old[name]) !== textOf(changed[name]))
      .map((name) => [name, textOf(changed[name])]),
  );
};
