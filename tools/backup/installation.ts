/** The installation to back up or restore: the one that the environment names, otherwise the one of this folder. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { databaseConfig, env, kafkaSecurity, topicConfig } from '@lanyard/service';
import { processOf } from '../lanyard/processes.ts';
import { dataFolder, Stop } from '../lanyard/project.ts';
import { secretsOf, StateFile, type Unit } from '../lanyard/state.ts';
import type { Installation } from './backup-file.ts';

/**
 * The statements of running services would wait for the restore until they fail, and the services would continue with data
 * that they have read before, such as the subscriptions of connected devices.
 */
const refuseRunningServices = (units: readonly Unit[]) => {
  const running = units.filter((unit) => unit.kind === 'service' && processOf(unit) !== undefined);
  if (running.length === 0) return;
  const names = running.map(({ name }) => name).join(', ');
  throw new Stop(`Services run (${names}): npm stop -- --services stops them, and not Kafka, PostgreSQL and Redis.`);
};

/**
 * Uses TLS and a login as the services do, with the same variables.
 * `forRestore`: throws Stop while services of this folder run
 */
export const installation = (
  environment: NodeJS.ProcessEnv = process.env,
  { forRestore = false }: { forRestore?: boolean } = {},
): Installation => {
  const reader = env(environment);
  // Opening topics adjusts their settings: to the values that the services set, too.
  const kafka = { ...topicConfig(reader), security: kafkaSecurity(reader) };
  const brokers = reader.list('KAFKA_BROKERS', []).join(',');
  const databaseUrl = reader.optional('DATABASE_URL') && databaseConfig(reader, 'backup').secrets.databaseUrl;
  if (databaseUrl && brokers) return { databaseUrl, brokers, ...kafka };
  const folder = dataFolder();
  if (!existsSync(join(folder, 'state.json')))
    throw new Stop('Nothing runs here: set DATABASE_URL and KAFKA_BROKERS, or LANYARD_DATA.');
  const { units } = new StateFile(folder).state;
  if (forRestore) refuseRunningServices(units);
  const address = (name: string) => units.find((unit) => unit.name === name)?.address;
  if (!address('postgresql') || !address('kafka')) throw new Stop('PostgreSQL and Kafka must run: npm start.');
  const { databasePassword } = secretsOf(folder);
  return {
    databaseUrl: databaseUrl ?? `postgres://lanyard:${databasePassword}@${address('postgresql')}/postgres`,
    brokers: brokers || (address('kafka') as string),
    ...kafka,
  };
};

export const countsText = ({ tables, states }: { tables: Record<string, number>; states: Record<string, number> }) =>
  [...Object.entries(tables), ...Object.entries(states).map(([name, n]) => [`topic ${name}`, n])]
    .map(([name, n]) => `${String(name).padEnd(44)}${n}`)
    .join('\n');
