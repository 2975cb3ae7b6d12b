import { env } from '@lanyard/service';
import { variablesOf } from './command-line.js';
import { type GroupSettings, readGroup } from './settings/group.js';
import { environmentReader } from './settings/reader.js';

export interface SimulatorConfig {
  groups: GroupSettings[];
  registrationsPerSecond: number;
  seed: number;
  reportSeconds: number;
  http: { host: string; port: number };
}

/** From the environment; the command line wins. */
export const readConfig = (
  source: NodeJS.ProcessEnv = { ...process.env, ...variablesOf(process.argv.slice(2)) },
): SimulatorConfig => {
  const reader = environmentReader(source);
  const common = env(source);
  return {
    groups: [readGroup(reader)],
    registrationsPerSecond: reader.whole('registrations-per-second', 100, { min: 1 }),
    seed: reader.whole('seed', 1, { min: 0 }),
    reportSeconds: reader.whole('report-seconds', 5, { min: 1 }),
    http: { host: common.string('HTTP_HOST', '127.0.0.1'), port: common.int('HTTP_PORT', 0, { min: 0, max: 65_535 }) },
  };
};
