import type { LookupAddress } from 'node:dns';
import { type BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { networkList } from '@lanyard/service';
import { HostNames } from './host-names.js';

/**
 * Addresses that are not on the public internet, or lead back into the internal network: IANA's special-purpose registries,
 * what older standards reserved for such use, and the address at which Azure serves its machines.
 */
const forbidden = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/**
 * `::ffff:10.0.0.1` (RFC 4291 §2.5.5.2), and `64:ff9b::10.0.0.1`, the form in which an IPv6-only cluster finds a host that has
 * only IPv4 (NAT64, RFC 6052 §2.1): the connection goes to the IPv4 address.
 */
const embeddedIpv4 = (address: string): string | undefined => {
  const { hostname } = new URL(`http://[${address}]`);
  const tail = /^\[(?:::ffff|64:ff9b:):([^:]+:[^:]+)]$/.exec(hostname)?.[1];
  const [high, low] = tail?.split(':').map((part) => parseInt(part, 16)) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
};

const isIn = (networks: BlockList, address: string): boolean =>
  networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** A customer must not be able to make the service call this address. */
export class AddressForbidden extends Error {
  readonly code = 'ADDRESS_FORBIDDEN';

  constructor(host: string) {
    super(`${host} leads to an address that callbacks may not use`);
    this.name = 'AddressForbidden';
  }
}

/** Decides which addresses callbacks may reach. Asked at registration, and again for every connection. */
export class AddressGuard {
  private readonly denied = networkList(forbidden);
  private readonly exceptions: BlockList;

  /** `allowCidrs`: networks that are allowed although they are private, for installations without access to the internet. */
  constructor(
    allowCidrs: readonly string[] = [],
    private readonly names = new HostNames({ isSearching: allowCidrs.length > 0 }),
  ) {
    this.exceptions = networkList(allowCidrs);
  }

  allows(address: string): boolean {
    const judged = (isIPv6(address) && embeddedIpv4(address)) || address;
    return isIn(this.exceptions, address) || isIn(this.exceptions, judged) || !isIn(this.denied, judged);
  }

  /** Throws AddressForbidden for a literal address that is denied; names are judged by `lookup`. */
  checkHost(hostname: string): void {
    const host = hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) && !this.allows(host)) throw new AddressForbidden(host);
  }

  /**
   * For net.connect: resolves a name and returns only addresses that were checked, so that the name cannot resolve to others
   * between check and connection. One denied address denies the name.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.addressesOf(hostname).then(
      ([first = { address: '', family: 0 }, ...others]) =>
        options.all ? callback(null, [first, ...others]) : callback(null, first.address, first.family),
      (error: Error) => callback(error, '', 0),
    );
  };

  private async addressesOf(hostname: string): Promise<LookupAddress[]> {
    const addresses = await this.names.addressesOf(hostname);
    if (!addresses.every(({ address }) => this.allows(address))) throw new AddressForbidden(hostname);
    return addresses;
  }
}
