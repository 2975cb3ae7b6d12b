import { endpointNameMax } from '@lanyard/contracts';
import {
  hasAtMostCharacters,
  Malformed,
  parseLinks,
  parseRegistration,
  parseUpdate,
  type RegistrationParameters,
  UnsupportedVersion,
  WrongParameter,
} from '@lanyard/lwm2m';
import { listingOf } from '../sessions/listing-of.js';
import { type Listing, listings } from '../sessions/listings.js';
import type { RegistrationData } from '../sessions/session.js';
import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';

/** What a device says about itself, before admission. */
export type Registration = Omit<RegistrationData, 'registeredAtMs' | 'firstContact'>;
export type RegistrationChange = Partial<
  Omit<Registration, 'endpointName' | 'endpointType' | 'lwm2mVersion' | 'attributes' | 'credential'>
>;

/** For the log. Examples are links of devices behind a gateway: the objects of such devices are in object 25. */
export const leftOutMessage = 'links of a device are left out: they are not LwM2M paths below its root';

/** Devices of one model send the same text, which is parsed once. */
const listingIn = (payload: Buffer): Listing => {
  const text = payload.toString('utf8');
  return listings.readOnce(text, () => listingOf(parseLinks(text)));
};

/** The list of objects is missing; the registration has ids of profiles instead, which this service does not resolve. */
class UnknownProfile extends WrongParameter {
  constructor() {
    super('pid', 'profiles are not known here: register with the list of objects');
  }
}

/** LwM2M 1.2 core §6.2.1. If there is a list beside the ids, it counts as complete. */
const mustListObjects = (others: Record<string, string>, payload: Buffer): void => {
  if (payload.length === 0 && others['pid'] !== undefined) throw new UnknownProfile();
};

const refusal = (error: unknown): { refusal: UplinkReply } => {
  if (error instanceof UnknownProfile) return { refusal: { code: '4.09', diagnostic: error.message } };
  if (error instanceof UnsupportedVersion) return { refusal: { code: '4.12', diagnostic: error.message } };
  if (error instanceof WrongParameter || error instanceof Malformed)
    return { refusal: { code: '4.00', diagnostic: error.message } };
  throw error;
};

/** Checks the maximum length in the directory. */
const shortEnough = (parameter: 'ep' | 'et', name: string): string => {
  if (!hasAtMostCharacters(name, endpointNameMax))
    throw new WrongParameter(parameter, `must have at most ${endpointNameMax} characters`);
  return name;
};

/** The name in the request, or the one in its credential: a 1.0 device always gives its name itself (LwM2M 1.1 core §6.2.1). */
const nameIn = ({ endpointName, version }: RegistrationParameters, proved: string | undefined): string => {
  const name = endpointName ?? (version === '1.0' ? undefined : proved);
  if (name === undefined) throw new WrongParameter('ep', 'is missing');
  if (name.trim() === '') throw new WrongParameter('ep', 'must not be blank');
  return shortEnough('ep', name);
};

/** LwM2M 1.1 core §6.2.1. `proved`: the endpoint name that the sender's credential is valid for. */
export const readRegistration = (
  { query, payload }: UplinkRequest,
  proved?: string,
): { registration: Registration; leftOut?: readonly string[] } | { refusal: UplinkReply } => {
  try {
    const parameters = parseRegistration(query);
    const { endpointType, lifetimeSeconds, version, binding, queueMode, smsNumber, others } = parameters;
    mustListObjects(others, payload);
    const endpointName = nameIn(parameters, proved);
    if (endpointType !== undefined) shortEnough('et', endpointType);
    const attributes = smsNumber === undefined ? others : { ...others, sms: smsNumber };
    const { rootPath, contentFormats, links, leftOut, objectVersions } = listingIn(payload);
    // One object shape without spread, because this runs for every registration.
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
      objectVersions,
      attributes,
    };
    return leftOut ? { registration, leftOut } : { registration };
  } catch (error) {
    return refusal(error);
  }
};

/**
 * What an update changes for a device of this version. In LwM2M 1.0 the binding contains the queue mode; from 1.1 on `Q` is a
 * separate parameter, which some devices do not repeat when they update the binding.
 */
export const changeFor = (
  { lwm2mVersion }: Pick<Registration, 'lwm2mVersion'>,
  change: RegistrationChange,
): RegistrationChange =>
  lwm2mVersion === '1.0' && change.binding !== undefined ? { queueMode: false, ...change } : change;

/** The empty change of most updates, which only extend the lifetime. */
const noChange: { change: RegistrationChange } = { change: Object.freeze({}) };

/** LwM2M 1.1 core §6.2.2: absent parameters have not changed. */
export const readUpdate = ({
  query,
  payload,
}: UplinkRequest): { change: RegistrationChange; leftOut?: readonly string[] } | { refusal: UplinkReply } => {
  if (query.length === 0 && payload.length === 0) return noChange;
  try {
    const { lifetimeSeconds, binding, queueMode, others } = parseUpdate(query);
    mustListObjects(others, payload);
    const { leftOut, ...listing } = payload.length > 0 ? listingIn(payload) : {};
    return {
      ...(leftOut && { leftOut }),
      change: {
        ...(lifetimeSeconds !== undefined && { lifetimeSeconds }),
        ...(binding !== undefined && { binding }),
        ...(queueMode !== undefined && { queueMode }),
        ...listing,
      },
    };
  } catch (error) {
    return refusal(error);
  }
};
