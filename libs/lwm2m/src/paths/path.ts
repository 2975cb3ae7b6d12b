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

const segmentPattern = /^(0|[1-9]\d{0,4})$/;

const notPath = (text: string): Malformed => new Malformed('path', `"${text.slice(0, 40)}" is no LwM2M path`);

const segmentId = (segment: string, text: string): number => {
  if (!segmentPattern.test(segment) || Number(segment) > idMax) throw notPath(text);
  return Number(segment);
};

/** Throws Malformed. The leading slash is required. */
export const parsePath = (text: string): Path => {
  const segments = text.split('/', 6);
  if (segments.length < 2 || segments.length > 5 || segments[0] !== '') throw notPath(text);
  const [object, instance, resource, resourceInstance] = segments.slice(1).map((s) => segmentId(s, text));
  return {
    object: object as number,
    ...(instance !== undefined && { instance }),
    ...(resource !== undefined && { resource }),
    ...(resourceInstance !== undefined && { resourceInstance }),
  };
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

/** `/3/0/1?pmin=1&gt=2` into path and query parts; parts are separated by `&` or `;` and stay untouched. */
export const splitUri = (uri: string): { path: string; query: string[] } => {
  const mark = uri.indexOf('?');
  if (mark < 0) return { path: uri, query: [] };
  return {
    path: uri.slice(0, mark),
    query: uri
      .slice(mark + 1)
      .split(/[&;]/)
      .filter((part) => part !== ''),
  };
};
