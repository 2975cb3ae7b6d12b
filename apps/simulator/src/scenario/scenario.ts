import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '@lanyard/service';
import { type GroupSettings, readGroup } from '../settings/group.js';
import { type Phase } from '../settings/phase.js';
import { isSecure } from '../settings/server-url.js';
import { parseScenario, type Section } from './document.js';
import { sectionReader } from './section-reader.js';

/** A mixed fleet, and what happens to it. */
export interface Scenario {
  groups: GroupSettings[];
  phases: Phase[];
  registrationsPerSecond: number;
  seed: number;
}

const secondsMax = 7 * 24 * 3_600;

const percent = { min: 0, max: 100 };
const valuesPercentMax = 10_000;

const readGroups = (top: Section, folder: string): GroupSettings[] => {
  const groups = top.section('groups');
  if (!groups || groups.keys().length === 0) throw top.problem('groups', 'must name at least one group');
  const defaults = top.section('defaults');
  const read = groups.keys().map((name) => {
    const section = groups.section(name);
    // A key that has no value at all, as in `{meters}`.
    if (!section) throw groups.problem(name, 'must be a map of fields');
    const settings = readGroup(sectionReader(section, defaults), name);
    section.refuseUnknown();
    const { credentialsFile } = settings;
    return { ...settings, ...(credentialsFile !== undefined && { credentialsFile: resolve(folder, credentialsFile) }) };
  });
  defaults?.refuseUnknown();
  refuseSharedNames(groups, read);
  return read;
};

/** Two devices with the same endpoint name would take the registration from each other. */
const refuseSharedNames = (groups: Section, settings: readonly GroupSettings[]): void => {
  const prefixes = new Map<string, string>();
  const files = new Map<string, string>();
  const sameNames = 'so their devices would have the same names';
  for (const { name, namePrefix, credentialsFile, servers } of settings) {
    // Without security, a file of credentials is not used.
    if (!servers.some(({ scheme }) => isSecure(scheme))) {
      const other = prefixes.get(namePrefix);
      if (other !== undefined) throw groups.problem(name, `has the name-prefix of "${other}", ${sameNames}`);
      prefixes.set(namePrefix, name);
    } else if (credentialsFile !== undefined) {
      const [other, group] = [files.get(credentialsFile), groups.section(name) as Section];
      if (other !== undefined) throw group.problem('credentials-file', `is that of "${other}", ${sameNames}`);
      files.set(credentialsFile, name);
    }
  }
};

const readPhase = (section: Section, groups: readonly GroupSettings[], isFirst: boolean): Phase => {
  const reader = sectionReader(section, undefined);
  const arrivals = section.texts('arrivals') ?? (isFirst ? groups.map(({ name }) => name) : []);
  const unknown = arrivals.find((name) => !groups.some((group) => group.name === name));
  if (unknown !== undefined) throw section.problem('arrivals', `names "${unknown}", which is no group`);
  const name = reader.optional('name');
  if (name === undefined) throw section.problem('name', 'is not set');
  if (!section.has('seconds')) throw section.problem('seconds', 'is not set');
  const phase = {
    name,
    seconds: reader.whole('seconds', 0, { min: 1, max: secondsMax }),
    arrivals,
    valuesPercent: reader.whole('values-percent', 100, { min: 0, max: valuesPercentMax }),
    restartPercent: reader.whole('restart-percent', 0, percent),
    rebindPercent: reader.whole('rebind-percent', 0, percent),
  };
  section.refuseUnknown();
  return phase;
};

const readPhases = (top: Section, groups: readonly GroupSettings[]): Phase[] => {
  const phases = top.sections('phases').map((section, at) => readPhase(section, groups, at === 0));
  const absent = groups.find(
    ({ name }) => phases.length > 0 && !phases.some(({ arrivals }) => arrivals.includes(name)),
  );
  if (absent) throw top.problem('phases', `name "${absent.name}" in no "arrivals", so its devices would never come`);
  return phases;
};

/** Throws ConfigError. `folder`: paths in the scenario are relative to it. */
export const readScenarioText = (file: string, text: string, folder: string): Scenario => {
  const top = parseScenario(file, text);
  const groups = readGroups(top, folder);
  const reader = sectionReader(top, undefined);
  const scenario = {
    groups,
    phases: readPhases(top, groups),
    registrationsPerSecond: reader.whole('registrations-per-second', 100, { min: 1 }),
    seed: reader.whole('seed', 1, { min: 0 }),
  };
  top.refuseUnknown();
  return scenario;
};

export const readScenario = (file: string): Scenario => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError('SIMULATOR_SCENARIO', `names a file that cannot be read: ${String(error)}`);
  }
  return readScenarioText(file, text, dirname(resolve(file)));
};
