import { notifications, type Permission } from '../permissions.js';
import type { Upstream } from '../upstreams.js';

export interface Route {
  /** Segments of the path; `*` stands for any one. The upstream serves every path below it too. */
  prefix: string;
  upstream: Upstream;
  /** The permission that reading requires. */
  read: Permission;
  /** The permission that every other method requires. */
  write: Permission;
}

const entry = (prefix: string, upstream: Upstream, read: Permission, write: Permission = read): Route => ({
  prefix,
  upstream,
  read,
  write,
});

/** The longest prefix wins. A new endpoint of a service needs a line here only when its prefix is new. */
const table: readonly Route[] = [
  entry('/v3/devices', 'registry', 'devices.read', 'devices.write'),
  entry('/v3/devices/*/suspend', 'registry', 'devices.suspend'),
  entry('/v3/devices/*/resume', 'registry', 'devices.suspend'),
  entry('/v3/devices/*/credentials', 'registry', 'devices.read', 'devices.credentials'),
  entry('/v3/devices/*/echo', 'snapshot', 'snapshots.read'),
  entry('/v3/devices/*/history', 'snapshot', 'snapshots.read'),
  entry('/v3/attention/lost-subscriptions', 'snapshot', 'subscriptions'),
  entry('/v3/attention/stuck-commands', 'device-proxy', 'commands'),
  entry('/v3/attention/failing-channels', 'dispatcher', notifications),
  entry('/v3/attention/expiring-certificates', 'registry', 'devices.read'),
  entry('/v3/trusted-certificates', 'registry', 'devices.read', 'devices.credentials'),
  entry('/v3/bootstrap-profiles', 'registry', 'devices.read', 'devices.credentials'),
  entry('/v3/object-models', 'device-proxy', 'devices.read', 'devices.write'),
  entry('/v3/device-groups', 'registry', 'devices.read', 'devices.write'),
  entry('/v3/device-queries', 'registry', 'devices.read', 'devices.write'),
  entry('/v3/device-imports', 'registry', 'devices.read', 'devices.write'),
  entry('/v3/device-suspensions', 'registry', 'devices.suspend'),
  entry('/v3/device-block-categories', 'registry', 'devices.read'),
  entry('/v3/device-events', 'event-log', 'events.read'),
  entry('/v3/device-event-codes', 'event-log', 'events.read'),
  entry('/v3/devicelog', 'event-log', 'events.read'),
  entry('/v3/device-requests', 'device-proxy', 'commands'),
  entry('/v3/key-subscriptions', 'device-proxy', 'admin'),
  entry('/v2/device-requests', 'device-proxy', 'commands'),
  entry('/v2/endpoints', 'device-proxy', 'devices.read', 'commands'),
  // A path below a device is a command to it, whatever the method.
  entry('/v2/endpoints/*/*', 'device-proxy', 'commands'),
  entry('/v2/subscriptions', 'device-proxy', 'subscriptions'),
  entry('/v2/notification', 'dispatcher', notifications),
  entry('/v3/firmware-images', 'campaigns', 'campaigns'),
  entry('/v3/update-campaigns', 'campaigns', 'campaigns'),
];

/** Every prefix that has an upstream. */
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

export const permissionFor = (route: Route, method: string): Permission =>
  method === 'GET' || method === 'HEAD' ? route.read : route.write;

const uploads = ['/v3/device-imports', '/v3/firmware-images'];

/** Calls with larger bodies than all others; these are streamed. */
export const takesLargeBodies = (method: string, path: string): boolean => method === 'POST' && uploads.includes(path);

/** Where devices get firmware images, without a key: the path is secret. */
export const downloadsPath = '/downloads/:ticket';
export const downloadsUpstream: Upstream = 'campaigns';

/** Where an application opens its WebSocket (spec §4.5). */
export const websocketPath = '/v2/notification/websocket-connect';
