import { readConfig } from '../src/config.js';
import { type RunningSimulator, start } from '../src/start.js';

/** Without SIMULATOR_ in front. */
export type Settings = Record<string, string | number>;

/** A few impatient devices. */
export const simulate = (settings: Settings): Promise<RunningSimulator> => {
  const variables = { DEVICES: 3, BACK_OFF_MS: 100, ACK_TIMEOUT_MS: 100, RETRANSMISSIONS: 1, ...settings };
  const source = Object.entries(variables).map(([name, value]) => [`SIMULATOR_${name}`, String(value)]);
  return start(readConfig(Object.fromEntries(source) as NodeJS.ProcessEnv), () => undefined);
};
