import { WrongParameter } from '../errors.js';

export const lwm2mVersions = ['1.0', '1.1', '1.2'] as const;
export type Lwm2mVersion = (typeof lwm2mVersions)[number];

/** Seconds; LwM2M 1.1 core §6.2.1. */
export const defaultLifetimeSeconds = 86_400;

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
  queueMode?: boolean;
  smsNumber?: string;
  others: Record<string, string>;
}

/** The version of LwM2M is unknown: 4.12 (LwM2M 1.1 core §6.2.1). */
export class UnsupportedVersion extends WrongParameter {
  constructor(version: string) {
    super('lwm2m', `version "${version.slice(0, 20)}" is not supported: ${lwm2mVersions.join(', ')}`);
  }
}

const nameMax = 255;

const known = new Set(['ep', 'et', 'lt', 'lwm2m', 'b', 'Q', 'sms']);

const parse = (query: readonly string[]): Map<string, string | undefined> => {
  const parameters = new Map<string, string | undefined>();
  for (const part of query) {
    const mark = part.indexOf('=');
    const name = mark < 0 ? part : part.slice(0, mark);
    if (name === '') throw new WrongParameter('query', 'a parameter has no name');
    if (parameters.has(name)) throw new WrongParameter(name.slice(0, 20), 'is given twice');
    if (mark < 0 && known.has(name) && name !== 'Q') throw new WrongParameter(name, 'has no value');
    parameters.set(name, mark < 0 ? undefined : part.slice(mark + 1));
  }
  return parameters;
};

const lifetime = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text) || Number(text) < 1 || Number(text) > 0xffff_ffff)
    throw new WrongParameter('lt', 'must be 1 to 4294967295 seconds');
  return Number(text);
};

/**
 * Letters of all versions, each once: 1.0 puts the queue mode into the binding (`UQ`), 1.1 has `Q` of its own, 1.2 adds
 * MQTT and HTTP.
 */
const binding = (parameters: Map<string, string | undefined>): { binding?: string; queueMode?: boolean } => {
  const text = parameters.get('b');
  if (parameters.has('Q') && parameters.get('Q') !== undefined) throw new WrongParameter('Q', 'takes no value');
  if (text === undefined) return parameters.has('Q') ? { queueMode: true } : {};
  if (!/^[UTSNMHQ]{1,7}$/.test(text) || new Set(text).size < text.length || text === 'Q')
    throw new WrongParameter('b', `"${text.slice(0, 20)}" is no binding`);
  return { binding: text.replaceAll('Q', ''), queueMode: parameters.has('Q') || text.includes('Q') };
};

const others = (parameters: Map<string, string | undefined>): Record<string, string> => {
  const unknown: [string, string][] = [];
  for (const [name, value] of parameters) if (!known.has(name)) unknown.push([name, value ?? '']);
  return Object.fromEntries(unknown);
};

const versionOf = (text: string | undefined): Lwm2mVersion => {
  const version = (text ?? '1.0').replace(/^"(.*)"$/, '$1');
  const found = lwm2mVersions.find((v) => v === version);
  if (!found) throw new UnsupportedVersion(version);
  return found;
};

const bounded = (parameters: Map<string, string | undefined>, name: string): string | undefined => {
  const value = parameters.get(name);
  if (value === undefined) return undefined;
  if (value === '' || Buffer.byteLength(value) > nameMax || /[\u0000-\u001f\u007f]/.test(value))
    throw new WrongParameter(name, `must be 1 to ${nameMax} bytes without control characters`);
  return value;
};

/** `query`: the Uri-Query options. Throws WrongParameter or UnsupportedVersion. */
export const parseRegistration = (query: readonly string[]): RegistrationParameters => {
  const parameters = parse(query);
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
  const parameters = parse(query);
  const lifetimeSeconds = lifetime(parameters.get('lt'));
  const sms = bounded(parameters, 'sms');
  return {
    ...(lifetimeSeconds !== undefined && { lifetimeSeconds }),
    ...binding(parameters),
    ...(sms !== undefined && { smsNumber: sms }),
    others: others(parameters),
  };
};
