/** Services behind the reverse proxy. */
export const upstreams = ['registry', 'device-proxy', 'snapshot', 'event-log', 'dispatcher'] as const;
export type Upstream = (typeof upstreams)[number];
