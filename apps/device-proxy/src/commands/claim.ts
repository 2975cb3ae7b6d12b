import type { Command } from './command.entity.js';
import { claimLeaseMs } from './limits.js';

/** The replica that executes a command, and its epoch of the device's session. */
export interface Claimant {
  replica: string;
  epoch: number;
}

/** What a claim changes in a command. */
export const claimOf = (
  { attempts, firstAttemptedAt }: Pick<Command, 'attempts' | 'firstAttemptedAt'>,
  { replica, epoch }: Claimant,
  nowMs: number,
) => ({
  state: 'executing' as const,
  attempts: attempts + 1,
  attemptedAt: new Date(nowMs),
  firstAttemptedAt: firstAttemptedAt ?? new Date(nowMs),
  claimedBy: replica,
  claimEpoch: String(epoch),
  claimUntil: new Date(nowMs + claimLeaseMs),
});
