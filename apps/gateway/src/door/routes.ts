import { devices, notifications, type Permission } from '../access/permissions.js';

/** Services behind the door. */
export const owners = ['registry', 'device-proxy', 'snapshot', 'event-log', 'dispatcher'] as const;
export type Owner = (typeof owners)[number];

export interface Route {
  owner: Owner;
  /** What the key needs. */
  permission: Permission;
}

interface Entry extends Route {
  /** Segments of the path; `*` stands for any one. What follows them belongs to the owner too. */
  prefix: string;
}

/** The longest prefix wins. A new endpoint of a service needs a line here only when its prefix is new. */
const table: readonly Entry[] = [
  { prefix: '/v3/devices', owner: 'registry', permission: devices },
  { prefix: '/v3/devices/*/echo', owner: 'snapshot', permission: devices },
  { prefix: '/v3/trusted-certificates', owner: 'registry', permission: devices },
  { prefix: '/v3/object-models', owner: 'device-proxy', permission: devices },
  { prefix: '/v3/device-groups', owner: 'registry', permission: devices },
  { prefix: '/v3/device-block-categories', owner: 'registry', permission: devices },
  { prefix: '/v3/device-events', owner: 'event-log', permission: devices },
  { prefix: '/v3/devicelog', owner: 'event-log', permission: devices },
  { prefix: '/v3/device-requests', owner: 'device-proxy', permission: devices },
  { prefix: '/v2/device-requests', owner: 'device-proxy', permission: devices },
  { prefix: '/v2/endpoints', owner: 'device-proxy', permission: devices },
  { prefix: '/v2/subscriptions', owner: 'device-proxy', permission: devices },
  { prefix: '/v2/notification', owner: 'dispatcher', permission: notifications },
];

const segmentsOf = (path: string): string[] => path.split('/').slice(1);

const longestFirst = table
  .map((entry) => ({ entry, segments: segmentsOf(entry.prefix) }))
  .sort((a, b) => b.segments.length - a.segments.length);

/** `path`: without query, slashes normalised. undefined when nobody behind the door owns it. */
export const routeOf = (path: string): Route | undefined => {
  const given = segmentsOf(path);
  return longestFirst.find(({ segments }) => segments.every((s, i) => (s === '*' ? given[i] : s === given[i])))?.entry;
};

/** Where an application opens its WebSocket (spec §4.5). */
export const websocketPath = '/v2/notification/websocket-connect';
