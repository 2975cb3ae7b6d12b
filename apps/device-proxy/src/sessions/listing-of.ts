import { type LinkList, mediaTypeOf, objectVersions, type ResourceLink } from '@lanyard/lwm2m';
import type { Listing } from './listings.js';
import type { RegisteredLink } from './session.js';

/** Link attribute: the number of an observation that the device makes by itself. The number becomes the token. */
const autoObservation = 'aobs';

const autoTokenOf = ({ attributes }: ResourceLink): string | undefined => {
  const value = attributes[autoObservation];
  if (typeof value !== 'string' || !/^\d{1,10}$/.test(value)) return undefined;
  const hex = Number(value).toString(16);
  return hex.length % 2 === 0 ? hex : `0${hex}`;
};

const registeredLink = (link: ResourceLink, obs: boolean): RegisteredLink => {
  const autoToken = autoTokenOf(link);
  const [format] = link.ct ?? [];
  return {
    path: link.path,
    ...(link.rt !== undefined && { rt: link.rt }),
    ...(link.if !== undefined && { if: link.if }),
    ...(format !== undefined && { ct: mediaTypeOf(format) }),
    obs,
    ...(autoToken !== undefined && { autoToken }),
  };
};

/** How many targets the log names, and how many characters of each. */
const leftOutMax = 5;
const targetMax = 100;

/** In LwM2M, everything readable can be observed; if a device marks some links with `obs`, only those can be. */
export const listingOf = ({ rootPath, rootContentFormats, links, leftOut }: LinkList): Listing => {
  const marked = links.some((link) => link.obs);
  return {
    rootPath,
    contentFormats: rootContentFormats,
    links: links.map((link) => registeredLink(link, marked ? link.obs === true : true)),
    objectVersions: objectVersions(links),
    ...(leftOut.length > 0 && { leftOut: leftOut.slice(0, leftOutMax).map((target) => target.slice(0, targetMax)) }),
  };
};
