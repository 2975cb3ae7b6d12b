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

const withWildcard = (pattern: string, device: RuledDevice): string[] => {
  const prefix = pattern.slice(0, -1);
  const listed = observable(device).filter((path) => path.startsWith(prefix));
  // `/3303/0/*` on a device that lists /3303/0 and nothing below: the instance is the resources.
  const whole = prefix.replace(/\/$/, '');
  return listed.length === 0 && depth(whole) >= 2 && observable(device).includes(whole) ? [whole] : listed;
};

const pathsOf = (rule: PresubscriptionRule, device: RuledDevice): string[] => {
  const patterns = rule['resource-path'];
  if (!patterns || patterns.length === 0) return observable(device);
  return patterns.flatMap((pattern) => {
    if (pattern.endsWith('*')) return withWildcard(pattern.startsWith('/') ? pattern : '/*', device);
    return mayExist(device.links, pattern) ? [pattern] : [];
  });
};

/** The paths of the device to which these rules subscribe (spec §4.4 rules 3 and 5), each once. */
export const matchingPaths = (rules: readonly PresubscriptionRule[], device: RuledDevice): string[] => [
  ...new Set(rules.filter((rule) => isFor(rule, device)).flatMap((rule) => pathsOf(rule, device))),
];
