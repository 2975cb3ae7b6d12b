import type { RegistrationData } from './session.js';
import { stringInterner } from '../state/string-interner.js';

/** The link list of a registration. Immutable, because many devices share one. */
export type Listing = Readonly<Pick<RegistrationData, 'rootPath' | 'contentFormats' | 'links' | 'objectVersions'>> & {
  /** Some of the listed targets that this service does not support. */
  readonly leftOut?: readonly string[];
};

/** Size of the cache, which holds short lists only; a fleet has as many lists as it has models. */
const rememberedMax = 1_000;
const textMax = 16_384;

const noAttributes: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Devices of one model send the same link list: each text is parsed once, and the result is shared. When the cache is
 * full, it is cleared, and every text is parsed again.
 */
export class Listings {
  private readonly byText = new Map<string, Listing>();

  readOnce(text: string, read: () => Listing): Listing {
    const known = this.byText.get(text);
    if (known) return known;
    const listing = read();
    if (text.length > textMax) return listing;
    if (this.byText.size >= rememberedMax) this.byText.clear();
    this.byText.set(text, listing);
    return listing;
  }

  /** The same data in less memory. Its listing must come from `readOnce`. */
  share(data: RegistrationData): RegistrationData {
    const { endpointName, endpointType, lifetimeSeconds, lwm2mVersion, binding, queueMode, rootPath } = data;
    const { contentFormats, links, objectVersions, attributes, registeredAtMs, firstContact, credential } = data;
    // Listed property by property, which the type checks for completeness: an object made with `...` takes twice the memory.
    const shared: Record<keyof RegistrationData, unknown> & RegistrationData = {
      endpointName,
      endpointType: endpointType === undefined ? undefined : stringInterner.intern(endpointType),
      lifetimeSeconds,
      lwm2mVersion: stringInterner.intern(lwm2mVersion),
      binding: stringInterner.intern(binding),
      queueMode,
      rootPath,
      contentFormats,
      links,
      objectVersions,
      attributes: Object.keys(attributes).length === 0 ? noAttributes : attributes,
      registeredAtMs,
      firstContact,
      credential,
    };
    return shared;
  }

  /** The same data with a listing that all devices with the same listing share. */
  shareListing(data: RegistrationData): RegistrationData {
    const { rootPath, contentFormats, links, objectVersions } = data;
    const listing = { rootPath, contentFormats, links, objectVersions };
    return { ...data, ...this.readOnce(JSON.stringify(listing), () => listing) };
  }
}

export const listings = new Listings();
