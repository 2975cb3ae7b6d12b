import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { newIdentityKeys } from '../lanyard/identity-keys.ts';
import { dataFolder, root } from '../lanyard/project.ts';
import { apps } from '../lanyard/service-processes.ts';
import { manifestEnvironmentProblems } from '../manifests/environment.ts';
import { buildKustomization } from '../manifests/kustomize.ts';
import { schemaProblems } from '../manifests/schemas.ts';
import { autoscalerOf } from './autoscaler.ts';
import { certificateSettings, localPatches, localPolicies } from './local-overlay.ts';
import { secretsOfServices, writeOverlay } from './overlay.ts';
import { planOf } from './plan.ts';

mkdirSync(dataFolder(), { recursive: true });
const folder = mkdtempSync(join(dataFolder(), 'overlay-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const infrastructure = {
  brokers: '10.1.2.3:9092',
  databaseUrl: 'postgres://a:b@10.1.2.3:5432/c',
  redisUrl: 'redis://10.1.2.3:6379',
};
const planFor = (nodes: number) => planOf(nodes, { folder, network: '10.1.2' });

const build = (plan = planFor(1)) => {
  const settings = { gateway: ['GATEWAY_KEY_RATE_BURST=7'], 'device-proxy': certificateSettings };
  writeOverlay(folder, { infrastructure, settings, more: localPatches(plan, infrastructure) }, localPolicies(plan));
  return buildKustomization(folder);
};

describe('the overlay of a local cluster', () => {
  it('is one that Kubernetes and the services accept', async () => {
    const manifests = build();
    expect([...(await schemaProblems(manifests)), ...(await manifestEnvironmentProblems(manifests))]).toEqual([]);
  });

  it('has the infrastructure that runs outside of it, no proxies, and what the caller adds', () => {
    const maps = build().filter(({ kind }) => kind === 'ConfigMap');
    const data = Object.assign({}, ...maps.map((map) => map['data']));
    expect(data).toMatchObject({
      KAFKA_BROKERS: '10.1.2.3:9092',
      KAFKA_TLS_ENABLED: 'false',
      GATEWAY_KEY_RATE_BURST: '7',
      GATEWAY_TRUSTED_PROXIES: '0',
      DEVICE_PROXY_COAP_DTLS_ENABLED: 'true',
    });
  });
});

describe('the entrance of devices', () => {
  const entrance = (nodes: number) => {
    const service = build(planFor(nodes)).find(
      ({ kind, metadata }) => kind === 'Service' && metadata.name === 'devices-udp',
    );
    return service?.['spec'];
  };

  it('keeps the address of each device where there is one node', () => {
    expect(entrance(1)).toMatchObject({ externalTrafficPolicy: 'Local', sessionAffinity: 'None' });
  });

  it('is at every node for all replicas where there are several', () => {
    expect(entrance(3)).toMatchObject({ externalTrafficPolicy: 'Cluster', sessionAffinity: 'None' });
  });
});

describe('Secrets of the services', () => {
  it('contain what each service reads, and no more', () => {
    const secrets = { ...newIdentityKeys(), encryptionKey: 'key', accountId: 'account' };
    const made = secretsOfServices(infrastructure, secrets);
    expect(made.map(({ metadata }) => metadata.name)).toEqual(apps.map((app) => `${app}-secrets`));
    const holders = (name: string) =>
      made.flatMap(({ metadata, stringData }) => (name in stringData ? [metadata.name.replace('-secrets', '')] : []));
    expect(holders('IDENTITY_PRIVATE_KEY')).toEqual(['gateway']);
    expect(holders('REDIS_URL')).toEqual(['gateway', 'device-proxy', 'dispatcher']);
    expect(holders('ENCRYPTION_KEY')).toEqual(['registry', 'device-proxy', 'dispatcher', 'campaigns']);
  });
});

describe('the autoscaler of a local cluster', () => {
  const { spec } = autoscalerOf('dispatcher', { brokers: infrastructure.brokers, min: 1, max: 4 });

  it('is one that KEDA accepts', async () => {
    const scaled = autoscalerOf('dispatcher', { brokers: infrastructure.brokers, min: 1, max: 4 });
    expect(await schemaProblems([scaled])).toEqual([]);
  });

  it('asks the brokers of the cluster, as the services do, for what the one of prod looks at', () => {
    const prod = buildKustomization(join(root, 'k8s/overlays/prod')).find(
      ({ kind, metadata }) => kind === 'ScaledObject' && metadata.name === 'dispatcher',
    )?.['spec'] as { triggers: { metadata: Record<string, string> }[] };
    const watched = (of: typeof prod) =>
      of.triggers.map(({ metadata: { topic, consumerGroup, lagThreshold } }) => ({
        topic,
        consumerGroup,
        lagThreshold,
      }));
    expect(watched(spec)).toEqual(watched(prod));
    for (const trigger of spec.triggers) {
      expect(trigger.metadata).toMatchObject({ bootstrapServers: infrastructure.brokers });
      expect(Object.keys({ ...trigger, ...trigger.metadata })).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(tls|sasl|authenticationRef)$/)]),
      );
    }
  });
});
