import { InvalidState } from '../errors.js';
import { SEQUENCE_MAX, TAKE_OVER_SEQUENCES } from '../limits.js';

/**
 * The sequence number with which a connection continues. Each process sends at most `TAKE_OVER_SEQUENCES` records after the latest
 * save, so each take-over since then has had a separate range. @throws InvalidState
 */
export function sequenceAfterTakeOvers(savedSequence: number, takeOvers: number): number {
  if (!Number.isSafeInteger(takeOvers) || takeOvers < 1) throw new InvalidState('no take-over was counted');
  const sequence = savedSequence + takeOvers * TAKE_OVER_SEQUENCES;
  if (sequence > SEQUENCE_MAX) throw new InvalidState('its sequence numbers are used up');
  return sequence;
}
