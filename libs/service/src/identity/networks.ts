import { BlockList, isIP } from 'node:net';

const bits = { 4: 32, 6: 128 } as const;

/** An IPv4 address may be in IPv6 form (RFC 4291 §2.5.5.2). */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

const parse = (text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined => {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address) as 0 | 4 | 6;
  if (version === 0 || rest.length > 0 || address.includes('%')) return undefined;
  if (prefix !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefix)) return undefined;
  const length = prefix === undefined ? bits[version] : Number(prefix);
  return length > bits[version] ? undefined : { address, prefix: length, family: version === 4 ? 'ipv4' : 'ipv6' };
};

/** Whether it is an address or a network in CIDR notation (RFC 4632, RFC 4291 §2.3). */
export const isNetwork = (text: string): boolean => parse(text) !== undefined;

const lists = new WeakMap<readonly string[], BlockList>();

/** The list is made once for each array. A text that is no network matches no address. */
const listOf = (networks: readonly string[]): BlockList => {
  const known = lists.get(networks);
  if (known) return known;
  const list = new BlockList();
  for (const network of networks.flatMap((text) => parse(text) ?? []))
    list.addSubnet(network.address, network.prefix, network.family);
  lists.set(networks, list);
  return list;
};

/** Throws RangeError for a text that is no network (`isNetwork`): a list of denied networks would allow it. */
export const networkList = (networks: readonly string[]): BlockList => {
  const wrong = networks.find((text) => !isNetwork(text));
  if (wrong !== undefined) throw new RangeError(`Must be an address or a network, not "${wrong}"`);
  return listOf(networks);
};

/** Whether an address is in one of the networks. */
export const isInNetworks = (networks: readonly string[], address: string): boolean => {
  const text = plain(address);
  const version = isIP(text);
  return version !== 0 && listOf(networks).check(text, version === 4 ? 'ipv4' : 'ipv6');
};
