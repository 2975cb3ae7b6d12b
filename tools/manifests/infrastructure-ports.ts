/** Compares the ports of the infrastructure and the trace receiver, in the example Secret and the settings, with the policies. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lanyard/project.ts';
import { usersOfRedis } from '../lanyard/service-processes.ts';
import { selects, workloadsOf } from './policies.ts';
import type { Manifest } from './kustomize.ts';

/** OTLP over HTTP: every service can send spans. */
const tracesPort = 4318;

/** The port in a URL of an example Secret. */
const portIn = (name: string) => {
  const example = readFileSync(join(root, 'k8s/secrets/gateway.example.env'), 'utf8');
  const [, url = ''] = new RegExp(`^${name}=(\\S+)`, 'm').exec(example) ?? [];
  return Number(new URL(url).port);
};

const brokerPorts = (manifests: Manifest[]) => {
  const common = manifests.find((m) => m.kind === 'ConfigMap' && m.metadata.name.startsWith('lanyard-common'));
  const brokers = ((common?.data ?? {}) as Record<string, string>).KAFKA_BROKERS ?? '';
  return brokers.split(',').map((broker) => Number(broker.split(':').at(-1)));
};

export const infrastructurePortProblems = (manifests: Manifest[]): string[] => {
  const policies = manifests.filter((m) => m.kind === 'NetworkPolicy').map((m) => (m as any).spec);
  const [kafka, postgresql, redis] = [brokerPorts(manifests), portIn('DATABASE_URL'), portIn('REDIS_URL')];
  return workloadsOf(manifests).flatMap(({ name, labels }) => {
    const toInfrastructure = policies
      .filter((spec) => selects(spec.podSelector, labels))
      .flatMap((spec) => spec.egress ?? [])
      .filter((rule) => rule.to?.some((peer: any) => peer.namespaceSelector ?? peer.ipBlock))
      .flatMap((rule) => rule.ports.flatMap((p: any) => (p.endPort === undefined ? [p.port] : [])));
    return [...kafka, postgresql, tracesPort, ...(usersOfRedis.has(name as any) ? [redis] : [])]
      .filter((port) => !toInfrastructure.includes(port))
      .map((port) => `no policy lets ${name} reach port ${port}`);
  });
};
