import { env } from '@lanyard/service';
import { variablesOf } from './command-line.js';
import { type GroupSettings, readGroup } from './settings/group.js';
import { readScenario, type Scenario } from './scenario/scenario.js';
import { type Phase } from './settings/phase.js';
import { environmentReader, intervalSecondsMax, type SettingsReader } from './settings/reader.js';

export interface SimulatorConfig {
  groups: GroupSettings[];
  /** Without phases, the run has no end. */
  phases: Phase[];
  registrationsPerSecond: number;
  seed: number;
  reportSeconds: number;
  http: { host: string; port: number };
}

/** Without a scenario, all devices are alike and run until the simulator is stopped. */
const oneGroup = (reader: SettingsReader): Scenario => ({
  groups: [readGroup(reader)],
  phases: [],
  registrationsPerSecond: reader.whole('registrations-per-second', 100, { min: 1 }),
  seed: reader.whole('seed', 1, { min: 0 }),
});

/** From the environment; options of the command line take precedence. */
export const readConfig = (
  source: NodeJS.ProcessEnv = { ...process.env, ...variablesOf(process.argv.slice(2)) },
): SimulatorConfig => {
  const reader = environmentReader(source);
  const common = env(source);
  const file = reader.optional('scenario');
  return {
    ...(file === undefined ? oneGroup(reader) : readScenario(file)),
    reportSeconds: reader.whole('report-seconds', 5, { min: 1, max: intervalSecondsMax }),
    http: { host: common.string('HTTP_HOST', '127.0.0.1'), port: common.int('HTTP_PORT', 0, { min: 0, max: 65_535 }) },
  };
};
