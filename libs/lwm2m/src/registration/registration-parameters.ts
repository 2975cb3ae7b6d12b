import { WrongParameter } from '../errors.js';
import { boundedText as bounded, queryParameters } from './query-parameters.js';

const lwm2mVersions = ['1.0', '1.1', '1.2'] as const;
export type Lwm2mVersion = (typeof lwm2mVersions)[number];

/** Seconds; LwM2M 1.1 core §6.2.1. */
const defaultLifetimeSeconds = 86_400;

/** Seconds. A lifetime of 0, which is infinite, becomes this one (LwM2M 1.1 core appendix E.2). */
const lifetimeSecondsMax = 0xffff_ffff;

/** Parameters of a Register request, without its links (LwM2M 1.1 core §6.2.1). */
export interface RegistrationParameters {
  /** Endpoint client name; absent when the security layer determines it (from 1.1 on). */
  endpointName?: string;
  /** `et`: the endpoint type, a widespread extension. */
  endpointType?: string;
  lifetimeSeconds: number;
  version: Lwm2mVersion;
  /** Transports without the queue mode letter, for example `U`. */
  binding: string;
  queueMode: boolean;
  smsNumber?: string;
  /** Unknown parameters are kept, not refused. */
  others: Record<string, string>;
}

/** The parameters that an Update request may change (LwM2M 1.1 core §6.2.2). */
export interface UpdateParameters {
  lifetimeSeconds?: number;
  binding?: string;
  /** Absent if not named. A `binding` without it ends the queue mode of LwM2M 1.0; `Q` of 1.1 stays as registered. */
  queueMode?: true;
  smsNumber?: string;
  others: Record<string, string>;
}

/** The version of LwM2M is unknown; answered with 4.12 (LwM2M 1.1 core §6.2.1). */
export class UnsupportedVersion extends WrongParameter {
  constructor(version: string) {
    super('lwm2m', `version "${version.slice(0, 20)}" is not supported: ${lwm2mVersions.join(', ')}`);
  }
}

/** Known parameters that need a value: all except `Q`. */
const valued = new Set(['ep', 'et', 'lt', 'lwm2m', 'b', 'sms']);

const lifetime = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text) || Number(text) > lifetimeSecondsMax)
    throw new WrongParameter('lt', `must be 0 to ${lifetimeSecondsMax} seconds`);
  return Number(text) || lifetimeSecondsMax;
};

/**
 * The letters of all versions, each at most once, in any order: 1.0 writes the queue mode behind a transport (`UQ`, `UQS`),
 * and some later devices still do; 1.1 has a separate parameter `Q`, and adds TCP and non-IP; 1.2 adds MQTT and HTTP.
 */
const binding = (parameters: Map<string, string | undefined>): { binding?: string; queueMode?: true } => {
  const text = parameters.get('b');
  if (parameters.has('Q') && parameters.get('Q') !== undefined) throw new WrongParameter('Q', 'takes no value');
  const queueMode = (parameters.has('Q') || text?.includes('Q')) && ({ queueMode: true } as const);
  if (text === undefined) return { ...queueMode };
  if (!/^[UTSNMH][UTSNMHQ]{0,6}$/.test(text) || new Set(text).size < text.length)
    throw new WrongParameter('b', `"${text.slice(0, 20)}" is no binding`);
  return { binding: text.replaceAll('Q', ''), ...queueMode };
};

const others = (parameters: Map<string, string | undefined>): Record<string, string> => {
  const unknown: [string, string][] = [];
  for (const [name, value] of parameters) if (!valued.has(name) && name !== 'Q') unknown.push([name, value ?? '']);
  return Object.fromEntries(unknown);
};

const versionOf = (text: string | undefined): Lwm2mVersion => {
  const version = (text ?? '1.0').replace(/^"(.*)"$/, '$1');
  const found = lwm2mVersions.find((v) => v === version);
  if (!found) throw new UnsupportedVersion(version);
  return found;
};

/** `query`: the Uri-Query options. Throws WrongParameter or UnsupportedVersion. */
export const parseRegistration = (query: readonly string[]): RegistrationParameters => {
  const parameters = queryParameters(query, valued);
  const version = versionOf(parameters.get('lwm2m'));
  const endpointName = bounded(parameters, 'ep');
  const endpointType = bounded(parameters, 'et');
  const sms = bounded(parameters, 'sms');
  const { binding: transports, queueMode } = binding(parameters);
  return {
    endpointName,
    endpointType,
    lifetimeSeconds: lifetime(parameters.get('lt')) ?? defaultLifetimeSeconds,
    version,
    binding: transports ?? 'U',
    queueMode: queueMode ?? false,
    smsNumber: sms,
    others: others(parameters),
  };
};

/** Throws WrongParameter. */
export const parseUpdate = (query: readonly string[]): UpdateParameters => {
  const parameters = queryParameters(query, valued);
  const lifetimeSeconds = lifetime(parameters.get('lt'));
  const sms = bounded(parameters, 'sms');
  return {
    ...(lifetimeSeconds !== undefined && { lifetimeSeconds }),
    ...binding(parameters),
    ...(sms !== undefined && { smsNumber: sms }),
    others: others(parameters),
  };
};
