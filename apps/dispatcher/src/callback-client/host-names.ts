import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP, isIPv6 } from 'node:net';
import { join } from 'node:path';

/** Time-out of a query, which is doubled once. With up to three name servers, a lookup fails before its request does (20 s). */
const queryTimeoutMs = 2_000;
const queryTries = 2;

/** resolv.conf(5). */
const ndotsMax = 15;

/** Errors for names that do not exist, or cannot exist. */
const nameless = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

/** A failed server of one domain does not end a search either. */
const searchContinues = [...nameless, 'ESERVFAIL'];

interface Search {
  domains: string[];
  /** Names with fewer dots are looked for in the domains first. */
  ndots: number;
}

const words = (line: string): string[] => line.split(/\s+/).filter((word) => word !== '');

/** The addresses of a name in the text of a hosts file. */
export const hostsIn = (hosts: string, name: string): LookupAddress[] =>
  hosts
    .split('\n')
    .map((line) => words(line.replace(/#.*/, '').toLowerCase()))
    .filter(([address = '', ...names]) => isIP(address) && !address.includes('%') && names.includes(name))
    .map(([address = '']) => ({ address, family: isIPv6(address) ? 6 : 4 }));

/** The search settings in the text of resolv.conf: the last line of a kind counts. */
export const searchIn = (resolvConf: string): Search => {
  const search: Search = { domains: [], ndots: 1 };
  for (const [keyword, ...values] of resolvConf.split('\n').map((line) => words(line))) {
    if (keyword === 'search' || keyword === 'domain') search.domains = values.filter((domain) => domain !== '.');
    const ndots = keyword === 'options' && values.map((option) => /^ndots:(\d+)$/.exec(option)?.[1]).find(Boolean);
    if (ndots) search.ndots = Math.min(Number(ndots), ndotsMax);
  }
  return search;
};

/** The full names that a name may stand for, in the order in which they are queried. */
export const candidates = (name: string, { domains, ndots }: Search): string[] => {
  if (name.endsWith('.')) return [name];
  const found = domains.map((domain) => `${name}.${domain}`);
  return name.split('.').length > ndots ? [name, ...found] : [...found, name];
};

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code);

/** IPv4 addresses come first: where there is no IPv6, it is not tried. */
const answerOf = async (resolver: Resolver, name: string): Promise<LookupAddress[]> => {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = answers.flatMap((answer, n) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: n === 0 ? 4 : 6 })) : [],
  );
  if (found.length > 0) return found;
  const errors = answers.map((answer) => (answer.status === 'rejected' ? (answer.reason as unknown) : undefined));
  throw errors.find((error) => error && !nameless.includes(codeOf(error))) ?? errors[0];
};

export interface HostNamesOptions {
  /** Folder of the files hosts and resolv.conf. */
  folder?: string;
  /** Name servers to use instead of those in resolv.conf. */
  nameservers?: readonly string[];
  /** Whether names are looked for in the search domains too. */
  isSearching?: boolean;
}

const absolute = (name: string): string => (name.endsWith('.') ? name : `${name}.`);

/**
 * Addresses of callback hosts, resolved as getaddrinfo does (hosts file, DNS with the search list) but without it: a call of
 * getaddrinfo holds a thread for as long as a name server does not answer, and the whole process, including its connections to
 * Kafka, PostgreSQL and Redis, has two threads for such calls. Here such a name costs a timer.
 */
export class HostNames {
  constructor(private readonly options: HostNamesOptions) {}

  async addressesOf(name: string): Promise<LookupAddress[]> {
    const { isSearching = true } = this.options;
    const [hosts, resolvConf] = await Promise.all([this.read('hosts'), this.read('resolv.conf')]);
    const known = hostsIn(hosts, name.toLowerCase().replace(/\.$/, ''));
    if (known.length > 0) return known;
    const resolver = this.resolver();
    let lastError: unknown;
    for (const candidate of isSearching ? candidates(name, searchIn(resolvConf)) : [absolute(name)]) {
      try {
        return await answerOf(resolver, candidate);
      } catch (error) {
        if (!searchContinues.includes(codeOf(error))) throw error;
        lastError = error;
      }
    }
    throw lastError;
  }

  /** A resolver for each name: a shared resolver would keep earlier name servers, and timings learned from other names. */
  private resolver(): Resolver {
    const resolver = new Resolver({ timeout: queryTimeoutMs, tries: queryTries });
    if (this.options.nameservers) resolver.setServers(this.options.nameservers);
    return resolver;
  }

  /** '' when the file does not exist, as in a container without a network. */
  private read(file: string): Promise<string> {
    return readFile(join(this.options.folder ?? '/etc', file), 'utf8').catch(() => '');
  }
}
