import { Malformed } from '../errors.js';

/** `/object[/instance[/resource[/resourceInstance]]]` (LwM2M 1.1 core §7.3). */
export interface Path {
  object: number;
  instance?: number;
  resource?: number;
  resourceInstance?: number;
}

/** 65535 is reserved (LwM2M 1.1 core §7.2). */
const idMax = 65_534;

const segment = '/(0|[1-9]\\d{0,4})';

/** One expression for the whole path, for speed: snapshots and values parse several paths for each resource. */
const pathPattern = new RegExp(`^${segment}(?:${segment}(?:${segment}(?:${segment})?)?)?$`);

const notPath = (text: string): Malformed => new Malformed('path', `"${text.slice(0, 40)}" is no LwM2M path`);

const idOf = (digits: string, text: string): number => {
  const id = Number(digits);
  if (id > idMax) throw notPath(text);
  return id;
};

/** Throws Malformed. The leading slash is required. */
export const parsePath = (text: string): Path => {
  const [, first, second, third, fourth] = pathPattern.exec(text) ?? [];
  if (first === undefined) throw notPath(text);
  const object = idOf(first, text);
  if (second === undefined) return { object };
  const instance = idOf(second, text);
  if (third === undefined) return { object, instance };
  const resource = idOf(third, text);
  if (fourth === undefined) return { object, instance, resource };
  return { object, instance, resource, resourceInstance: idOf(fourth, text) };
};

export const formatPath = ({ object, instance, resource, resourceInstance }: Path): string =>
  `/${[object, instance, resource, resourceInstance].filter((id) => id !== undefined).join('/')}`;

export const isPath = (text: string): boolean => {
  try {
    parsePath(text);
    return true;
  } catch {
    return false;
  }
};

/** True for `path` itself and everything below it. */
export const covers = (path: string, other: string): boolean => other === path || other.startsWith(`${path}/`);

/** The path itself, and what it is in: `/3/0/1`, `/3/0` and `/3` for `/3/0/1`. */
export const pathAndParents = (path: string): string[] => {
  const paths = [path];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) paths.push(path.slice(0, end));
  return paths;
};
