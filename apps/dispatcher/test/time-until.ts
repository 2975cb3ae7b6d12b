import { eventually } from '@lanyard/testing';

const lookMs = 100;

/**
 * How long it takes until `attempt` does not throw, in ms, for bounds of seconds. It counts looks, not time: this process, in
 * which the service runs too, may stand still for as long as the bound.
 */
export const timeUntil = async (attempt: () => unknown): Promise<number> => {
  let looks = 0;
  const look = (): unknown => {
    looks++;
    return attempt();
  };
  await eventually(look, { intervalMs: lookMs });
  return (looks - 1) * lookMs;
};
