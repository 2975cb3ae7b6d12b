import { Malformed, WrongParameter } from '../errors.js';
import { type BootstrapInstance, parseBootstrapLinks } from '../paths/bootstrap-links.js';
import { boundedText, queryParameters } from './query-parameters.js';

/** Parameters of a Bootstrap-Request and of a Bootstrap-Pack-Request (LwM2M 1.2 core §6.1.7). */
export interface BootstrapParameters {
  /** Endpoint client name; absent when the security layer determines it (from 1.1 on). */
  endpointName?: string;
  /** `pct`: the Content-Format in which the device prefers to be written to (from 1.1 on). */
  preferredFormat?: number;
  /** `acc` of a Bootstrap-Pack-Request: the instances of the device's account at the bootstrap server (from 1.2 on). */
  bootstrapAccount?: BootstrapInstance[];
}

const valued = new Set(['ep', 'pct', 'acc']);

const instancesIn = (links: string): BootstrapInstance[] => {
  try {
    return parseBootstrapLinks(links).instances;
  } catch (error) {
    if (error instanceof Malformed) throw new WrongParameter('acc', error.message);
    throw error;
  }
};

/** `query`: the Uri-Query options. Unknown parameters are ignored; so is `acc` unless a pack is requested. Throws WrongParameter. */
export const parseBootstrap = (query: readonly string[], isPack: boolean): BootstrapParameters => {
  const parameters = queryParameters(query, valued);
  const endpointName = boundedText(parameters, 'ep');
  const format = parameters.get('pct');
  if (format !== undefined && (!/^\d{1,5}$/.test(format) || Number(format) > 65_535))
    throw new WrongParameter('pct', 'must be the number of a Content-Format');
  const account = isPack ? boundedText(parameters, 'acc') : undefined;
  return {
    ...(endpointName !== undefined && { endpointName }),
    ...(format !== undefined && { preferredFormat: Number(format) }),
    ...(account !== undefined && { bootstrapAccount: instancesIn(account) }),
  };
};
