/** Which installation is meant: what the environment names, otherwise the one of this folder. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { databaseConfig, env, kafkaSecurity } from '@lanyard/service';
import { dataFolder, Stop } from '../lanyard/project.mjs';
import { secretsOf, StateFile } from '../lanyard/state.mjs';

/**
 * With TLS and a login as the services have them: the same variables.
 * @param {NodeJS.ProcessEnv} [environment] @returns {import('./backup-file.mjs').Installation}
 */
export const installation = (environment = process.env) => {
  const reader = env(environment);
  const topicPrefix = reader.string('KAFKA_TOPIC_PREFIX', '');
  const security = kafkaSecurity(reader);
  const brokers = reader.optional('KAFKA_BROKERS');
  const databaseUrl = reader.optional('DATABASE_URL') && databaseConfig(reader, 'backup').secrets.databaseUrl;
  if (databaseUrl && brokers) return { databaseUrl, brokers, topicPrefix, security };
  const folder = dataFolder();
  if (!existsSync(join(folder, 'state.json')))
    throw new Stop('Nothing runs here: set DATABASE_URL and KAFKA_BROKERS, or LANYARD_DATA.');
  const { units } = new StateFile(folder).state;
  const address = (/** @type {string} */ name) => units.find((unit) => unit.name === name)?.address;
  if (!address('postgresql') || !address('kafka')) throw new Stop('PostgreSQL and Kafka must run: npm start.');
  const { databasePassword } = secretsOf(folder);
  return {
    databaseUrl: databaseUrl ?? `postgres://lanyard:${databasePassword}@${address('postgresql')}/postgres`,
    brokers: brokers ?? /** @type {string} */ (address('kafka')),
    topicPrefix,
    security,
  };
};

/** @param {{ tables: Record<string, number>, states: Record<string, number> }} counts */
export const countsText = ({ tables, states }) =>
  [...Object.entries(tables), ...Object.entries(states).map(([name, n]) => [`topic ${name}`, n])]
    .map(([name, n]) => `${String(name).padEnd(44)}${n}`)
    .join('\n');
