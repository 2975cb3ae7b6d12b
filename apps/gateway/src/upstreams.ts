export const upstreams = ['registry', 'device-proxy', 'snapshot', 'event-log', 'dispatcher', 'campaigns'] as const;
export type Upstream = (typeof upstreams)[number];
