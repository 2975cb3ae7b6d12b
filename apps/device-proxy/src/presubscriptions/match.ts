import { mayExist } from '../sessions/registered-links.js';
import type { PresubscriptionRule } from './rule.js';

export interface RuledDevice {
  deviceId: string;
  endpointName: string;
  endpointType?: string;
  links: readonly { path: string; obs: boolean }[];
}

const matchesText = (pattern: string, text: string): boolean =>
  pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;

const isFor = (rule: PresubscriptionRule, device: RuledDevice): boolean => {
  const { 'endpoint-name': name, 'endpoint-type': type } = rule;
  if (name !== undefined && !matchesText(name, device.deviceId) && !matchesText(name, device.endpointName))
    return false;
  return type === undefined || type === device.endpointType;
};

const depth = (path: string): number => path.split('/').length - 1;

/** Objects without an instance have no value yet. */
const observable = (device: RuledDevice): string[] =>
  device.links.flatMap(({ path, obs }) => (obs && depth(path) >= 2 ? [path] : []));

/** Of a rule without a path. */
const everything = ['*'];

const patternsOf = ({ 'resource-path': patterns }: PresubscriptionRule): readonly string[] =>
  patterns && patterns.length > 0 ? patterns : everything;

const withWildcard = (pattern: string, listed: readonly string[]): string[] => {
  const prefix = pattern.slice(0, -1);
  const below = listed.filter((path) => path.startsWith(prefix));
  // `/3303/0/*` on a device that lists /3303/0 and nothing below: the instance is the resources.
  const whole = prefix.replace(/\/$/, '');
  return below.length === 0 && depth(whole) >= 2 && listed.includes(whole) ? [whole] : below;
};

const pathsOf = (pattern: string, { links }: RuledDevice, listed: readonly string[]): string[] => {
  if (pattern.endsWith('*')) return withWildcard(pattern.startsWith('/') ? pattern : '/*', listed);
  return mayExist(links, pattern) ? [pattern] : [];
};

/**
 * The paths of the device to which these rules subscribe (spec §4.4 rules 3 and 5), each once. Rules may repeat a pattern
 * a hundred thousand times: each is compared with the links once.
 */
export const matchingPaths = (rules: readonly PresubscriptionRule[], device: RuledDevice): string[] => {
  const patterns = new Set<string>();
  for (const rule of rules) if (isFor(rule, device)) for (const pattern of patternsOf(rule)) patterns.add(pattern);
  const listed = observable(device);
  const matching = new Set<string>();
  for (const pattern of patterns) for (const path of pathsOf(pattern, device, listed)) matching.add(path);
  return [...matching];
};
