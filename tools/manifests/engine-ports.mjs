/** The ports of the engines and of the receiver of traces, as the example of the Secret and the settings name them, and the policies that open them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lanyard/project.mjs';
import { usersOfRedis } from '../lanyard/service-processes.mjs';
import { selects, workloadsOf } from './policies.mjs';

/** @typedef {import('./kustomize.mjs').Manifest} Manifest */

/** OTLP over HTTP: every service can send spans. */
const tracesPort = 4318;

/** Of a URL in the example of a Secret. @param {string} name */
const portIn = (name) => {
  const example = readFileSync(join(root, 'k8s/secrets/gateway.example.env'), 'utf8');
  const [, url = ''] = new RegExp(`^${name}=(\\S+)`, 'm').exec(example) ?? [];
  return Number(new URL(url).port);
};

/** @param {Manifest[]} manifests */
const brokerPorts = (manifests) => {
  const common = manifests.find((m) => m.kind === 'ConfigMap' && m.metadata.name.startsWith('lanyard-common'));
  const brokers = /** @type {Record<string, string>} */ (common?.data ?? {}).KAFKA_BROKERS ?? '';
  return brokers.split(',').map((broker) => Number(broker.split(':').at(-1)));
};

/** @param {Manifest[]} manifests @returns {string[]} */
export const enginePortProblems = (manifests) => {
  const policies = manifests.filter((m) => m.kind === 'NetworkPolicy').map((m) => /** @type {any} */ (m).spec);
  const [kafka, postgresql, redis] = [brokerPorts(manifests), portIn('DATABASE_URL'), portIn('REDIS_URL')];
  return workloadsOf(manifests).flatMap(({ name, labels }) => {
    const toEngines = policies
      .filter((spec) => selects(spec.podSelector, labels))
      .flatMap((spec) => spec.egress ?? [])
      .filter((rule) => rule.to?.some((/** @type {any} */ peer) => peer.namespaceSelector ?? peer.ipBlock))
      .flatMap((rule) => rule.ports.flatMap((/** @type {any} */ p) => (p.endPort === undefined ? [p.port] : [])));
    return [...kafka, postgresql, tracesPort, ...(usersOfRedis.has(/** @type {any} */ (name)) ? [redis] : [])]
      .filter((port) => !toEngines.includes(port))
      .map((port) => `no policy lets ${name} reach port ${port}`);
  });
};
