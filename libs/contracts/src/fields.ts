import { z } from 'zod';

export const idPattern = /^[0-9a-f]{32}$/;
export const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;
export const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/;
export const resourcePathPattern = /^(\/\d{1,5}){1,4}$/;

/** Account, device, key and group ids: 32 lower-case hex characters. */
export const id = z.string().regex(idPattern);

/** ISO 8601 in UTC with a trailing Z; up to six decimals. */
export const instant = z.string().regex(instantPattern);

export const base64 = z.string().regex(base64Pattern);

/** SHA-256 in lower-case hex. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Base64, with the id of the key that sealed it and a dot in front if there are several keys. */
export const sealed = z.string().regex(/^([0-9a-f]{8}\.)?[A-Za-z0-9+/]*={0,2}$/);

/**
 * Characters of an endpoint client name, and of an endpoint type. LwM2M sets no limit; this one is the API's, and the same
 * for devices that register, for the directory, and for its imports.
 */
export const endpointNameMax = 64;

/** Endpoint client name: what the device calls itself (LwM2M 1.1 core §6.2.1). */
export const endpointName = z.string().min(1).max(255);

/** Path of an object, instance, resource or resource instance. */
export const resourcePath = z.string().regex(resourcePathPattern);

export const tier = z.enum(['free', 'commercial']);

export const objectVersion = z.string().regex(/^\d{1,3}\.\d{1,3}$/);

/** Versions of the objects for which the device names one when it registers, by object id. */
export const objectVersions = z.record(z.string().regex(/^\d{1,5}$/), objectVersion);
