import { RegisteredPaths } from '../sessions/registered-links.js';
import type { PresubscriptionRule } from './rule.js';

interface Names {
  deviceId: string;
  endpointName: string;
  endpointType?: string;
}

const matchesText = (pattern: string, text: string): boolean =>
  pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;

const isFor = (rule: PresubscriptionRule, device: Names): boolean => {
  const { 'endpoint-name': name, 'endpoint-type': type } = rule;
  if (name !== undefined && !matchesText(name, device.deviceId) && !matchesText(name, device.endpointName))
    return false;
  return type === undefined || type === device.endpointType;
};

const depth = (path: string): number => path.split('/').length - 1;

/** The patterns of a rule without a path. */
const everything = ['*'];

const patternsOf = ({ 'resource-path': patterns }: PresubscriptionRule): readonly string[] =>
  patterns && patterns.length > 0 ? patterns : everything;

/** The position of the first path that does not sort before `text`. */
const placeOf = (sorted: readonly string[], text: string): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
};

const startingWith = (sorted: readonly string[], prefix: string): string[] => {
  const first = placeOf(sorted, prefix);
  let end = first;
  while (sorted[end]?.startsWith(prefix)) end++;
  return sorted.slice(first, end);
};

/** A device that rules may match, prepared for the rules of many keys. */
export class RuledDevice {
  private readonly registered: RegisteredPaths;
  /** The observable paths below objects, sorted. Objects are left out: without an instance they have no value yet. */
  private readonly observable: readonly string[];

  constructor(
    private readonly names: Names,
    links: readonly { path: string; obs: boolean }[],
  ) {
    this.registered = new RegisteredPaths(links);
    this.observable = links.flatMap(({ path, obs }) => (obs && depth(path) >= 2 ? [path] : [])).sort();
  }

  /**
   * The paths of the device to which these rules subscribe (spec §4.4 rules 3 and 5), each once. Rules may repeat a pattern
   * a hundred thousand times: each is looked up once.
   */
  matchingPaths(rules: readonly PresubscriptionRule[]): string[] {
    const patterns = new Set<string>();
    for (const rule of rules)
      if (isFor(rule, this.names)) for (const pattern of patternsOf(rule)) patterns.add(pattern);
    const matching = new Set<string>();
    for (const pattern of patterns) for (const path of this.pathsOf(pattern)) matching.add(path);
    return [...matching];
  }

  private pathsOf(pattern: string): string[] {
    if (pattern.endsWith('*')) return this.withWildcard(pattern.startsWith('/') ? pattern : '/*');
    return this.registered.mayExist(pattern) ? [pattern] : [];
  }

  private withWildcard(pattern: string): string[] {
    const { observable } = this;
    const prefix = pattern.slice(0, -1);
    const below = startingWith(observable, prefix);
    // `/3303/0/*` on a device that lists /3303/0 and nothing below it: the instance stands for its resources.
    const whole = prefix.replace(/\/$/, '');
    const isWhole = below.length === 0 && depth(whole) >= 2 && observable[placeOf(observable, whole)] === whole;
    return isWhole ? [whole] : below;
  }
}
