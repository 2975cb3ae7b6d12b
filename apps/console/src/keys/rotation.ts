import type { ApiKey } from '@lanyard/client/browser';
import { duration, moment } from '../ui/format.ts';

/** One day, in which applications can change to the new secret. */
export const overlapSeconds = 86_400;
export const overlap = duration(overlapSeconds);

type Rotated = Pick<ApiKey, 'id' | 'previous_secret_expires_at'>;

/** What a rotation does to the secrets of a key, which never has more than two. */
export const consequenceOf = ({ previous_secret_expires_at: until }: Rotated): string => {
  const current = `The key gets a new secret. The current secret stays valid for another ${overlap}.`;
  if (until === undefined) return current;
  return `${current} The secret before it, which would be valid until ${moment(until)}, becomes invalid immediately: requests of applications that still use it are rejected.`;
};

/** Why a key cannot be rotated now; undefined if it can. A session ends with the secret that it was opened with. */
export const whyNotRotate = ({ id, previous_secret_expires_at: until }: Rotated, ownId: string): string | undefined =>
  id === ownId && until !== undefined
    ? `If you signed in with the previous secret of this key, which is valid until ${moment(until)}, another rotation would end your session before it shows the new secret. Use "lanyard keys rotate" until then.`
    : undefined;
