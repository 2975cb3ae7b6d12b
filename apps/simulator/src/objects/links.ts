import { formatAttributes } from './attributes.js';
import { type ObjectStore } from './object-store.js';
import { instanceOf, resourceOf } from './resource.js';

/** The list of objects of a registration. */
export const registrationLinks = (store: ObjectStore): Buffer => {
  const { formats, hasSoftware, version } = store.catalogue;
  const all = store.instances();
  // Cancel and its result belong to version 1.1 of the object.
  const versions = version === '1.0' ? [] : ['</5>;ver=1.1'];
  const instances = all.map((path) => `<${path}>`);
  if (all.some((path) => path.startsWith('/25/'))) versions.push('</25>;ver=2.0');
  // An object without instances is listed by itself, so that servers know that they may create instances.
  if (hasSoftware && !all.some((path) => path.startsWith('/9/'))) versions.push('</9>');
  return Buffer.from([`</>;rt="oma.lwm2m";ct="${formats.join(' ')}"`, ...versions, ...instances].join(','));
};

/** The links of a device behind a gateway, as object 25 lists them. */
export const linksOf = (store: ObjectStore): string =>
  store
    .instances()
    .map((path) => `<${path}>`)
    .join(',');

const depthOf = (path: string): number => path.split('/').length - 1;

const objectOf = (path: string): string => path.split('/', 2).join('/');

/**
 * How deep Discover answers by default: for an object or an instance down to its resources, for a resource down to its
 * instances (LwM2M 1.2 core §6.3.3).
 */
const defaultDepth = (path: string): number => (depthOf(path) === 1 ? 2 : 1);

/** The links at the path and below it; undefined if there is nothing. */
export const discover = (store: ObjectStore, path: string, depth = defaultDepth(path)): Buffer | undefined => {
  const resources = store.below(path);
  if (resources.length === 0) return undefined;
  const instancesOf = new Map<string, number>();
  const paths = new Set<string>();
  for (const { path: full } of resources) {
    for (const level of [objectOf(full), instanceOf(full), resourceOf(full), full])
      if (depthOf(level) >= depthOf(path) && depthOf(level) <= depthOf(path) + depth) paths.add(level);
    if (depthOf(full) === 4) instancesOf.set(resourceOf(full), (instancesOf.get(resourceOf(full)) ?? 0) + 1);
  }
  const links = [...paths].map((link) => {
    const dim = instancesOf.get(link);
    return `<${link}>${dim === undefined ? '' : `;dim=${dim}`}${formatAttributes(store.attributesAt(link))}`;
  });
  return Buffer.from(links.join(','));
};
