import {
  type LinkList,
  Malformed,
  mediaTypeOf,
  parseLinks,
  parseRegistration,
  parseUpdate,
  type ResourceLink,
  UnsupportedVersion,
  WrongParameter,
} from '@lanyard/lwm2m';
import { type Listing, listings } from '../sessions/listings.js';
import type { RegisteredLink, RegistrationData } from '../sessions/session.js';
import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';

/** What a device says of itself, before anybody decided about it. */
export type Registration = Omit<RegistrationData, 'registeredAtMs' | 'firstContact'>;
export type RegistrationChange = Partial<
  Pick<Registration, 'lifetimeSeconds' | 'binding' | 'queueMode' | 'links' | 'rootPath' | 'contentFormats'>
>;

/** Number of an observation that the device makes by itself, in the link of its resource: becomes the token. */
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

/** LwM2M lets everything readable be observed; a device that marks some links with `obs` means those alone. */
const listingOf = ({ rootPath, rootContentFormats, links }: LinkList): Listing => {
  const marked = links.some((link) => link.obs);
  return {
    rootPath,
    contentFormats: rootContentFormats,
    links: links.map((link) => registeredLink(link, marked ? link.obs === true : true)),
  };
};

/** Devices of one model send the same text. */
const listingIn = (payload: Buffer): Listing => {
  const text = payload.toString('utf8');
  return listings.of(text, () => listingOf(parseLinks(text)));
};

const refusal = (error: unknown): { refusal: UplinkReply } => {
  if (error instanceof UnsupportedVersion) return { refusal: { code: '4.12', diagnostic: error.message } };
  if (error instanceof WrongParameter || error instanceof Malformed)
    return { refusal: { code: '4.00', diagnostic: error.message } };
  throw error;
};

/** LwM2M 1.1 core §6.2.1. */
export const readRegistration = ({
  query,
  payload,
}: UplinkRequest): { registration: Registration } | { refusal: UplinkReply } => {
  try {
    const parameters = parseRegistration(query);
    const { endpointName, endpointType, lifetimeSeconds, version, binding, queueMode, smsNumber, others } = parameters;
    if (endpointName === undefined) throw new WrongParameter('ep', 'is missing');
    const attributes = smsNumber === undefined ? others : { ...others, sms: smsNumber };
    const { rootPath, contentFormats, links } = listingIn(payload);
    // One shape, without `...`, as all that is made for every registration.
    const registration: Registration = {
      endpointName,
      endpointType,
      lifetimeSeconds,
      lwm2mVersion: version,
      binding,
      queueMode,
      rootPath,
      contentFormats,
      links,
      attributes,
    };
    return { registration };
  } catch (error) {
    return refusal(error);
  }
};

/** Of most updates: they only say that the device is there. */
const noChange: { change: RegistrationChange } = { change: Object.freeze({}) };

/** LwM2M 1.1 core §6.2.2: what is not there has not changed. */
export const readUpdate = ({
  query,
  payload,
}: UplinkRequest): { change: RegistrationChange } | { refusal: UplinkReply } => {
  if (query.length === 0 && payload.length === 0) return noChange;
  try {
    const { lifetimeSeconds, binding, queueMode } = parseUpdate(query);
    return {
      change: {
        ...(lifetimeSeconds !== undefined && { lifetimeSeconds }),
        ...(binding !== undefined && { binding }),
        ...(queueMode !== undefined && { queueMode }),
        ...(payload.length > 0 && listingIn(payload)),
      },
    };
  } catch (error) {
    return refusal(error);
  }
};
