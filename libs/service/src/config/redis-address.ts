import type { TlsFiles } from './tls-files.js';

export type RedisKind = 'single' | 'sentinel' | 'cluster';

/** Where Redis is, and how to log in to it. */
export interface RedisAddress {
  kind: RedisKind;
  /** The sentinels, or some nodes of a cluster. A single Redis has exactly one host. */
  hosts: { host: string; port: number }[];
  username?: string;
  password?: string;
  db: number;
  /** The name of the master at the sentinels. */
  master?: string;
  /** Password of the sentinels themselves. */
  sentinelPassword?: string;
  /** undefined: no TLS. */
  tls?: TlsFiles;
}

const form =
  /^redis(?<tls>s?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?@]+)(?:\/(?<path>[^?]*))?(?:\?(?<query>.*))?$/;

const defaultPorts = { single: 6379, sentinel: 26_379, cluster: 6379 };
const parameters = ['sentinel_password', 'ca', 'certificate', 'private_key'];

/** A password with a `/` is read as a host, so errors do not show what was read. */
const hostsOf = (text: string, kind: RedisKind): RedisAddress['hosts'] =>
  text.split(',').map((entry) => {
    const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(entry.trim()) ?? [];
    const host = bracketed ?? plain;
    if (!host) throw new Error('names a host that is not host:port; in a password, / is %2F, @ is %40');
    const number = Number(port ?? defaultPorts[kind]);
    if (number < 1 || number > 65_535) throw new Error('names a port that is not from 1 to 65535');
    return { host, port: number };
  });

const dbOf = (text: string): number => {
  if (!/^\d{0,3}$/.test(text)) throw new Error('the database must be a number');
  return Number(text);
};

/** The part after the hosts: a database, or the name of a master and a database. */
const pathOf = (kind: RedisKind, path: string): { db: number; master?: string } => {
  if (kind !== 'sentinel') {
    const db = dbOf(path);
    if (kind === 'cluster' && db !== 0) throw new Error('a cluster has database 0 only');
    return { db };
  }
  const [master = '', db = '', ...more] = path.split('/');
  if (master === '' || more.length > 0) throw new Error('the name of the master must follow the sentinels');
  return { db: dbOf(db), master: decodeURIComponent(master) };
};

/**
 * `redis://[user:password@]host:port[/db]`, `redis+sentinel://…@host:port,host:port/master[/db]` or
 * `redis+cluster://…@host:port,host:port`; `rediss` for TLS. Throws an Error that shows no secret.
 */
export const parseRedisUrl = (url: string): RedisAddress => {
  const found = form.exec(url)?.groups;
  if (!found) throw new Error('must be redis://, redis+sentinel:// or redis+cluster:// (rediss… for TLS), and hosts');
  const kind = (found.kind ?? 'single') as RedisKind;
  const hosts = hostsOf(found.hosts ?? '', kind);
  if (kind === 'single' && hosts.length > 1)
    throw new Error('names several hosts: use redis+cluster:// or redis+sentinel://');
  const query = new URLSearchParams(found.query);
  const unknown = [...query.keys()].find((key) => !parameters.includes(key));
  if (unknown !== undefined) throw new Error(`has an unknown parameter: ${unknown}`);
  const [user, password] = [found.user, found.password].map((text) => (text ? decodeURIComponent(text) : undefined));
  const sentinelPassword = query.get('sentinel_password');
  const files = { ca: query.get('ca'), certificate: query.get('certificate'), privateKey: query.get('private_key') };
  return {
    kind,
    hosts,
    ...pathOf(kind, found.path ?? ''),
    ...(user !== undefined && { username: user }),
    ...(password !== undefined && { password }),
    ...(sentinelPassword !== null && { sentinelPassword }),
    ...(found.tls && { tls: Object.fromEntries(Object.entries(files).filter(([, file]) => file !== null)) }),
  };
};
