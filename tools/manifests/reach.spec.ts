import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../lanyard/project.ts';
import { buildKustomization } from './kustomize.ts';
import { isAllowed, type Party, type Policy } from './reach.ts';

/** @param components that a copy of the overlay adds */
const policiesOf = (overlay: string, ...components: string[]) =>
  buildKustomization(
    join(root, 'k8s/overlays', overlay),
    components.map((name) => join(root, 'k8s/components', name)),
  ).filter(({ kind }) => kind === 'NetworkPolicy') as unknown as Policy[];

const policies = policiesOf('prod');

const pod = (name: string, namespace = 'lanyard', labels: Record<string, string> = {}): Party => ({
  namespace,
  labels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'lanyard', ...labels },
  address: '10.244.1.2',
});

const outside: Party = { address: '203.0.113.7' };
const allows = (from: Party, to: Party, port: number, protocol = 'TCP') =>
  isAllowed(policies, { from, to, port, protocol });

describe('the NetworkPolicies of production', () => {
  it('let only the gateway call the other services', () => {
    expect(allows(pod('gateway'), pod('registry'), 8080)).toBe(true);
    expect(allows(pod('snapshot'), pod('registry'), 8080)).toBe(false);
    expect(allows(pod('gateway'), pod('registry'), 8081)).toBe(false);
    expect(allows(pod('device-proxy'), pod('campaigns'), 8080)).toBe(true);
  });

  it('let applications in at the gateway by way of an ingress controller, and devices at the device-proxy', () => {
    expect(allows(outside, pod('gateway'), 8080)).toBe(false);
    expect(allows(pod('traefik', 'traefik'), pod('gateway'), 8080)).toBe(true);
    expect(allows(outside, pod('device-proxy'), 5684, 'UDP')).toBe(true);
    expect(allows(outside, pod('device-proxy'), 5684)).toBe(true);
    expect(allows(outside, pod('device-proxy'), 8080)).toBe(false);
  });

  it('let callbacks go to public addresses, and nothing else leave', () => {
    expect(allows(pod('dispatcher'), outside, 443)).toBe(true);
    expect(allows(pod('dispatcher'), { address: '10.1.2.3' }, 443)).toBe(false);
    expect(allows(pod('registry'), outside, 443)).toBe(false);
  });

  it('let every pod ask DNS: that of the cluster, a cache on the node, or the server of the cloud', () => {
    for (const server of [
      pod('dns', 'kube-system', { 'k8s-app': 'kube-dns' }),
      pod('cache', 'kube-system', { 'k8s-app': 'node-local-dns' }),
      { address: '169.254.20.10' },
      { address: '169.254.169.254' },
    ])
      for (const protocol of ['UDP', 'TCP']) expect(allows(pod('registry'), server, 53, protocol)).toBe(true);
    expect(allows(pod('registry'), { address: '169.254.169.254' }, 80)).toBe(false);
  });

  it('let the gateway reach an OpenID provider and campaigns a bucket with the components for them, and with no other', () => {
    const added = policiesOf('prod', 'openid', 'campaigns-bucket');
    for (const app of ['gateway', 'campaigns']) {
      const connection = { from: pod(app), to: outside, port: 443, protocol: 'TCP' };
      expect(isAllowed(policies, connection)).toBe(false);
      expect(isAllowed(added, connection)).toBe(true);
      expect(isAllowed(added, { ...connection, to: { address: '10.1.2.3' } })).toBe(false);
    }
    expect(isAllowed(added, { from: pod('registry'), to: outside, port: 443, protocol: 'TCP' })).toBe(false);
  });
});

it.each(['prod', 'local'])(
  'in the overlay %s, only replicas of the device-proxy forward records to each other',
  (overlay) => {
    const forwarded = { to: pod('device-proxy'), port: 5685, protocol: 'UDP' };
    expect(isAllowed(policiesOf(overlay), { from: pod('device-proxy'), ...forwarded })).toBe(true);
    for (const from of [pod('gateway'), outside])
      expect(isAllowed(policiesOf(overlay), { from, ...forwarded })).toBe(false);
  },
);
