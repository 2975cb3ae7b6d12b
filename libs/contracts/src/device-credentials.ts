import { z } from 'zod';
import { sealed, id, instant, sha256 } from './fields.js';
import { topic } from './topic.js';

/** Limit of the revoked serial numbers of one trusted issuer: all of them are in one record. */
export const revokedSerialsMax = 2_000;

/** Where a certificate has the endpoint name of its device: in its subject, or in its SubjectAltName (RFC 5280 §4.2.1.6). */
export const endpointNameSources = ['common_name', 'san_uri', 'san_dns'] as const;

export type EndpointNameSource = (typeof endpointNameSources)[number];

const needs: Record<string, readonly string[]> = {
  psk: ['deviceId', 'identity', 'sealedKey'],
  certificate: ['deviceId', 'fingerprint'],
  raw_public_key: ['deviceId', 'fingerprint'],
  authority: ['certificate', 'enrolment'],
  inactive_authority: ['certificate'],
};

export const DeviceCredentialSchema = z
  .object({
    credentialId: id,
    accountId: id,
    kind: z
      .enum(['psk', 'certificate', 'raw_public_key', 'authority', 'inactive_authority'])
      .describe(
        'What a device shows: a pre-shared key, its certificate, its public key, or a certificate of an issuer that the account trusts. With that of an inactive issuer, whose key the account has proved to hold, it is refused',
      ),
    deviceId: id.optional().describe('Of psk, certificate and raw_public_key'),
    service: z
      .enum(['lwm2m', 'bootstrap'])
      .optional()
      .describe('What it is valid for: registering (the default), or bootstrapping and nothing else'),
    provisional: z
      .literal(true)
      .optional()
      .describe(
        'Of psk and raw_public_key: made for the bootstrap of the same id, which has not ended. A device that registers with it ends it',
      ),
    identity: z.string().min(1).max(128).optional().describe('Of psk: PSK identity, unique in the installation'),
    sealedKey: sealed
      .optional()
      .describe('Of psk: the key in hex, encrypted with the ENCRYPTION_KEY of the installation'),
    fingerprint: sha256
      .optional()
      .describe('Of certificate and raw_public_key: SHA-256 of the DER form, for a key of its SubjectPublicKeyInfo'),
    certificate: z.string().max(16_384).optional().describe('Of authority and inactive_authority: PEM'),
    enrolment: z
      .boolean()
      .optional()
      .describe('Of authority: an unknown device is created when it first presents a certificate of this issuer'),
    endpointNameFrom: z
      .enum(endpointNameSources)
      .optional()
      .describe('Of authority: where its certificates have the endpoint name; absent: in the common name'),
    revokedSerials: z
      .array(z.string().regex(/^[0-9a-f]{1,40}$/))
      .max(revokedSerialsMax)
      .optional()
      .describe('Of authority: serial numbers of certificates that are not accepted any more, in hex'),
    changedAt: instant,
  })
  .superRefine((value, context) => {
    for (const name of needs[value.kind] ?? [])
      if (value[name as keyof typeof value] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: `${value.kind} needs it` });
  })
  .meta({ id: 'DeviceCredentialChanged' });

export type DeviceCredentialChanged = z.infer<typeof DeviceCredentialSchema>;

/**
 * A credential as it is now. A credential that was withdrawn is a tombstone; a proxy then closes the connections that were
 * opened with it, and ends the registrations. It does the same for certificates whose serial number was revoked.
 */
export const DeviceCredentials = topic<DeviceCredentialChanged>({
  name: 'device.credentials',
  kind: 'state',
  producers: ['registry'],
  consumers: ['device-proxy'],
  keyIs: 'credential id',
  key: (v) => v.credentialId,
  description: 'A credential of a device, or a trusted authority of an account. Keys are encrypted.',
  schema: DeviceCredentialSchema,
});
