const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/** What limits count as one source: an IPv4 address, or the first 64 bits of an IPv6 address, all of which one host may have. */
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
