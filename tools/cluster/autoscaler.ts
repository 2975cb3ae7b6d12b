/** The autoscaler that `overlays/prod` gives to a service, for the brokers of the local cluster. */
import { join } from 'node:path';
import { root } from '../lanyard/project.ts';
import { readManifests } from '../manifests/kustomize.ts';
import { namespace } from './overlay.ts';
import type { App } from '../lanyard/service-processes.ts';

interface Trigger {
  type: string;
  metadata: Record<string, string>;
}

/** Prod waits a quarter of an hour before it removes a replica; here only the removal itself is tested. */
const scaleDown = {
  stabilizationWindowSeconds: 30,
  policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }],
};
const pollingInterval = 5;

/** Uses the same groups, topics and thresholds, but no TLS and no login. */
export const autoscalerOf = (app: App, { brokers, min, max }: { brokers: string; min: number; max: number }) => {
  const manifests = readManifests(join(root, 'k8s/overlays/prod/autoscaling.yaml'));
  const found = manifests.find(({ kind, metadata }) => kind === 'ScaledObject' && metadata.name === app);
  if (!found) throw new Error(`no ScaledObject of ${app}`);
  const spec = found['spec'] as { triggers: Trigger[]; fallback: object };
  return {
    ...found,
    metadata: { ...found.metadata, namespace },
    spec: {
      ...spec,
      pollingInterval,
      minReplicaCount: min,
      maxReplicaCount: max,
      fallback: { ...spec.fallback, replicas: min },
      advanced: { horizontalPodAutoscalerConfig: { behavior: { scaleDown } } },
      triggers: spec.triggers.map(({ type, metadata: { tls: _tls, sasl: _sasl, ...metadata } }): Trigger => ({
        type,
        metadata: { ...metadata, bootstrapServers: brokers },
      })),
    },
  };
};
