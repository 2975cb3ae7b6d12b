import { notifications, type Permission } from '../permissions.js';
import type { Upstream } from '../upstreams.js';

/**
 * What a caller that is limited to device groups gets (docs/adr/0029). `device`: the path names a device, and the gateway asks
 * the registry whether it is one of the caller's. `service`: the upstream leaves out all other devices. `open`: the response
 * says nothing about devices. `refused`: the request concerns the whole account, as does every one that is not declared.
 */
export type ScopeRule = 'device' | 'service' | 'open' | 'refused';

export interface Route {
  /** Segments of the path; `*` stands for any one. The upstream serves every path below it too. */
  prefix: string;
  upstream: Upstream;
  read: Permission;
  /** The permission that every other method requires. */
  write: Permission;
  scope: { read: ScopeRule; write: ScopeRule };
}

const entry = (
  prefix: string,
  upstream: Upstream,
  [read, write = read]: readonly [read: Permission, write?: Permission],
  [readScope = 'refused', writeScope = readScope]: readonly [read?: ScopeRule, write?: ScopeRule] = [],
): Route => ({ prefix, upstream, read, write, scope: { read: readScope, write: writeScope } });

/** The longest prefix wins. A new endpoint of a service needs a line here only when its prefix is new. */
const table: readonly Route[] = [
  entry('/v3/devices', 'registry', ['devices.read', 'devices.write'], ['service', 'refused']),
  entry('/v3/devices/export', 'registry', ['devices.read', 'devices.write'], ['service', 'refused']),
  entry('/v3/devices/*', 'registry', ['devices.read', 'devices.write'], ['device']),
  entry('/v3/devices/*/suspend', 'registry', ['devices.suspend'], ['device']),
  entry('/v3/devices/*/resume', 'registry', ['devices.suspend'], ['device']),
  entry('/v3/devices/*/credentials', 'registry', ['devices.read', 'devices.credentials'], ['device']),
  entry('/v3/devices/*/echo', 'snapshot', ['snapshots.read'], ['device']),
  entry('/v3/devices/*/history', 'snapshot', ['snapshots.read'], ['device']),
  entry('/v3/devices/*/subscriptions', 'device-proxy', ['subscriptions'], ['device']),
  entry('/v3/attention/lost-subscriptions', 'snapshot', ['subscriptions']),
  entry('/v3/attention/stuck-commands', 'device-proxy', ['commands']),
  entry('/v3/attention/failing-channels', 'dispatcher', [notifications]),
  entry('/v3/attention/expiring-certificates', 'registry', ['devices.read']),
  entry('/v3/trusted-certificates', 'registry', ['devices.read', 'devices.credentials']),
  entry('/v3/bootstrap-profiles', 'registry', ['devices.read', 'devices.credentials']),
  entry('/v3/object-models', 'device-proxy', ['devices.read', 'devices.write'], ['open', 'refused']),
  entry('/v3/device-groups', 'registry', ['devices.read', 'devices.write'], ['service', 'refused']),
  entry('/v3/device-groups/*/devices', 'registry', ['devices.read', 'devices.write'], ['service']),
  entry('/v3/device-queries', 'registry', ['devices.read', 'devices.write']),
  entry('/v3/device-imports', 'registry', ['devices.read', 'devices.write']),
  entry('/v3/device-suspensions', 'registry', ['devices.suspend'], ['service']),
  entry('/v3/device-block-categories', 'registry', ['devices.read'], ['open']),
  entry('/v3/device-events', 'event-log', ['events.read'], ['service']),
  entry('/v3/device-event-codes', 'event-log', ['events.read'], ['open']),
  entry('/v3/devicelog', 'event-log', ['events.read'], ['service']),
  entry('/v3/device-requests', 'device-proxy', ['commands'], ['service']),
  entry('/v3/key-subscriptions', 'device-proxy', ['admin']),
  entry('/v2/device-requests', 'device-proxy', ['commands']),
  entry('/v2/device-requests/*', 'device-proxy', ['commands'], ['device']),
  entry('/v2/endpoints', 'device-proxy', ['devices.read', 'commands'], ['service', 'refused']),
  entry('/v2/endpoints/*', 'device-proxy', ['devices.read', 'commands'], ['device']),
  // A path below a device is a command to it, whatever the method.
  entry('/v2/endpoints/*/*', 'device-proxy', ['commands'], ['device']),
  entry('/v2/subscriptions', 'device-proxy', ['subscriptions'], ['service']),
  entry('/v2/subscriptions/*', 'device-proxy', ['subscriptions'], ['device']),
  entry('/v2/notification', 'dispatcher', [notifications], ['service']),
  entry('/v3/channels', 'dispatcher', [notifications], ['service']),
  entry('/v3/firmware-images', 'campaigns', ['campaigns'], ['open', 'refused']),
  entry('/v3/update-campaigns', 'campaigns', ['campaigns'], ['service']),
];

export const routedPrefixes = table.map(({ prefix }) => prefix);

const segmentsOf = (path: string): string[] => path.split('/').slice(1);

const longestFirst = table
  .map((entry) => ({ entry, segments: segmentsOf(entry.prefix) }))
  .sort((a, b) => b.segments.length - a.segments.length);

/** Candidates by the first two segments, which every prefix has. */
const families = new Map<string, typeof longestFirst>();
for (const candidate of longestFirst) {
  const family = candidate.segments.slice(0, 2).join('/');
  families.set(family, [...(families.get(family) ?? []), candidate]);
}

/** `path`: without query, slashes normalised. Returns undefined when no upstream serves it. */
export const routeOf = (path: string): Route | undefined => {
  const given = segmentsOf(path);
  const candidates = families.get(`${given[0]}/${given[1]}`);
  return candidates?.find(({ segments }) => segments.every((s, i) => (s === '*' ? given[i] : s === given[i])))?.entry;
};

const kindOf = (method: string): 'read' | 'write' => (method === 'GET' || method === 'HEAD' ? 'read' : 'write');

export const permissionFor = (route: Route, method: string): Permission => route[kindOf(method)];

export const scopeRuleFor = (route: Route, method: string): ScopeRule => route.scope[kindOf(method)];

/** The segment of the path that names the device, as the client wrote it. */
export const deviceIn = (route: Route, path: string): string | undefined =>
  segmentsOf(path)[segmentsOf(route.prefix).indexOf('*')];

const uploads = ['/v3/device-imports', '/v3/firmware-images'];

/** Calls with larger bodies than all others; these are streamed. */
export const takesLargeBodies = (method: string, path: string): boolean => method === 'POST' && uploads.includes(path);

/** Where devices get packages, without a key: the path is secret. */
export const downloadsPath = '/downloads/:ticket';
export const downloadsUpstream: Upstream = 'campaigns';

/** Where an application opens its WebSocket (spec §4.5). */
export const websocketPath = '/v2/notification/websocket-connect';
