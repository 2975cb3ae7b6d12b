/** The connections that NetworkPolicies allow, as a network plug-in that enforces them would decide. */
import { BlockList, isIP } from 'node:net';
import { selects } from './policies.ts';
import type { ILabelSelector } from '@kubernetes-models/apimachinery/apis/meta/v1/LabelSelector';

interface Peer {
  podSelector?: ILabelSelector;
  namespaceSelector?: ILabelSelector;
  ipBlock?: { cidr: string; except?: string[] };
}

interface Port {
  protocol?: string;
  port?: number;
  endPort?: number;
}

interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: Port[];
}

export interface Policy {
  metadata: { name: string; namespace?: string };
  spec: { podSelector: ILabelSelector; policyTypes?: string[]; ingress?: Rule[]; egress?: Rule[] };
}

/** A pod with its labels, or something outside the cluster with an address only. */
export interface Party {
  namespace?: string;
  labels?: Record<string, string>;
  address: string;
}

export interface Connection {
  from: Party;
  to: Party;
  port: number;
  protocol: string;
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** A BlockList matches an IPv4 address against IPv6 networks as well, so networks of the other family are left out. */
const contains = (cidrs: readonly string[], address: string) => {
  const [list, family] = [new BlockList(), familyOf(address)];
  for (const cidr of cidrs) {
    const [network = '', prefix] = cidr.split('/');
    if (familyOf(network) === family) list.addSubnet(network, Number(prefix), family);
  }
  return list.check(address, family);
};

/** @param own namespace of the policy itself */
const matches = ({ podSelector, namespaceSelector, ipBlock }: Peer, party: Party, own: string | undefined) => {
  if (ipBlock) return contains([ipBlock.cidr], party.address) && !contains(ipBlock.except ?? [], party.address);
  if (!party.labels) return false;
  const isInNamespace = namespaceSelector
    ? selects(namespaceSelector, { 'kubernetes.io/metadata.name': party.namespace ?? '' })
    : party.namespace === own;
  return isInNamespace && selects(podSelector, party.labels);
};

const isOpen = ({ protocol = 'TCP', port, endPort = port }: Port, connection: Connection) =>
  protocol === connection.protocol &&
  (port === undefined || (port <= connection.port && connection.port <= (endPort ?? port)));

const allowsAtOneEnd = (policies: readonly Policy[], connection: Connection, type: 'Ingress' | 'Egress') => {
  const [self, other] = type === 'Egress' ? [connection.from, connection.to] : [connection.to, connection.from];
  if (!self.labels) return true;
  const own = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === self.namespace &&
      selects(spec.podSelector, self.labels ?? {}) &&
      (spec.policyTypes ?? ['Ingress']).includes(type),
  );
  if (own.length === 0) return true;
  return own.some(({ metadata, spec }) =>
    ((type === 'Egress' ? spec.egress : spec.ingress) ?? []).some(
      ({ from, to, ports }) =>
        (ports === undefined || ports.some((port) => isOpen(port, connection))) &&
        ((from ?? to) === undefined || (from ?? to)?.some((peer) => matches(peer, other, metadata.namespace))),
    ),
  );
};

/** Both ends have to allow the connection. */
export const isAllowed = (policies: readonly Policy[], connection: Connection) =>
  allowsAtOneEnd(policies, connection, 'Egress') && allowsAtOneEnd(policies, connection, 'Ingress');
