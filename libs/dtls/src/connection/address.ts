export interface Address {
  /** A literal IP address. */
  address: string;
  port: number;
  /**
   * The caller's route to the address, for example through another process, which answers first ClientHellos itself;
   * undefined: the caller's own socket.
   */
  via?: string;
}

export const isSameAddress = (a: Address, b: Address): boolean =>
  a.port === b.port && a.address === b.address && a.via === b.via;

/** The key under which a table stores an address, whatever its `via` is. */
export const addressKey = ({ address, port }: Address): string => `${port} ${address}`;

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * What counts as one source, because one party may control it: an IPv4 address, or the first 64 bits of an IPv6
 * address.
 */
export function sourceOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1]!;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = (tail ?? '').split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : Math.max(0, IPV6_GROUPS - groups.length - rest.length);
  return [...groups, ...new Array<string>(zeros).fill('0'), ...rest].slice(0, NETWORK_GROUPS).join(':');
}
