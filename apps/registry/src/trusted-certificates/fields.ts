import { endpointNameSources, revokedSerialsMax } from '@lanyard/contracts';
import { recordChange } from '@lanyard/service';
import { z } from 'zod';
import { credentialServices } from '../credentials/credential-fields.js';
import { notBlank } from '../devices/device-fields.js';

export const trustedPerAccountMax = 20;

const enrollmentMode = z
  .boolean()
  .describe('Whether an unknown device is created when it first presents a certificate of this authority');
const name = notBlank(z.string().max(128));
const description = z.string().max(500);
const status = z
  .enum(['ACTIVE', 'INACTIVE'])
  .describe('INACTIVE: devices with its certificates are disconnected and refused');
const service = z
  .enum(credentialServices)
  .describe('`bootstrap`: its certificates are valid for bootstrapping and nothing else; `lwm2m`: for everything else');
const endpointNameFrom = z
  .enum(endpointNameSources)
  .describe(
    'Where the certificates have the endpoint name of their device: in the common name of the subject (as LwM2M recommends), or in the SubjectAltName as its only URI (for example `urn:imei:…`) or its only host name. Fixed, because it determines which device a connection belongs to: to change it, delete the certificate and add it again',
  );
const signature = z
  .base64()
  .max(2_048)
  .describe(
    'The account id, signed with the private key of the certificate (SHA-256; DER for ECDSA). Without it the certificate stays INACTIVE',
  );

/**
 * As `openssl x509 -serial` writes it, or with colons as in its text form. Kept as Node writes that of a certificate:
 * whole bytes in lower case, without zero bytes in front. DER has one in front of a first byte of 0x80 or more, and browsers
 * show it.
 */
const serial = z
  .string()
  .regex(/^(?:[0-9A-Fa-f]{1,40}|(?:[0-9A-Fa-f]{2}:){0,19}[0-9A-Fa-f]{2})$/, 'A serial number in hex, at most 20 bytes')
  .transform((text) => text.replaceAll(':', '').toLowerCase())
  .transform((text) => (text.length % 2 === 0 ? text : `0${text}`))
  .transform((text) => text.replace(/^(?:00)+(?=..)/, ''));

const revokedSerials = z
  .array(serial)
  .max(revokedSerialsMax)
  .transform((serials) => [...new Set(serials)].sort())
  .describe(
    'Serial numbers (hex) of revoked certificates below this authority, of devices or of intermediate authorities. Replaces the previous list; devices that are connected with a revoked certificate are disconnected and their registrations end',
  );

/** An example: a certificate authority whose private key was discarded. */
const exampleCertificate =
  '-----BEGIN CERTIFICATE-----\nMIIBjzCCATWgAwIBAgIUWh9zZj24w2rqIcTzepEi5bojV3EwCgYIKoZIzj0EAwIw\nHDEaMBgGA1UEAwwRRXhhbXBsZSBEZXZpY2UgQ0EwIBcNMjYxMTIzMTIwMDAyWhgP\nMjA3NjExMTAxMjAwMDJaMBwxGjAYBgNVBAMMEUV4YW1wbGUgRGV2aWNlIENBMFkw\nEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEumgZtkkCZGz0pktO2a6pXTZ+OBjICt3d\nvnScGSu5Ys9UrLz+s0l27VHhkD0uLl4XvCMHSSCYxkRwxcpJZfyQu6NTMFEwHQYD\nVR0OBBYEFDcGu6MfadPnn/VRN1bjH+2OkvkeMB8GA1UdIwQYMBaAFDcGu6MfadPn\nn/VRN1bjH+2OkvkeMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIg\nOg8EMMJRgMUnMc8DfIEFRs9TpTeA8L4juOyTcewXli8CIQDQjKXF0A5opnEZpCTw\nH0zbyYkxwYGncT9eJ6FRFOKnRw==\n-----END CERTIFICATE-----\n';

export const NewTrustedCertificate = z
  .strictObject({
    certificate: z.string().min(1).max(16_384).describe('PEM of a certificate authority'),
    signature: signature.nullish(),
    enrollment_mode: enrollmentMode.default(false),
    name: name.default(''),
    description: description.nullish(),
    service: service.default('lwm2m'),
    endpoint_name_from: endpointNameFrom.default('common_name'),
    status: status.optional().describe('Default: ACTIVE with a signature, INACTIVE without'),
  })
  .meta({ id: 'NewTrustedCertificate', examples: [{ name: 'Example device CA', certificate: exampleCertificate }] });
export type NewTrustedCertificate = z.infer<typeof NewTrustedCertificate>;

export const TrustedCertificate = z
  .object({
    object: z.literal('trusted-cert'),
    id: z.string(),
    account_id: z.string(),
    name: z.string(),
    description: z.string(),
    service,
    endpoint_name_from: endpointNameFrom,
    status,
    verified: z.boolean().describe('Whether the account has proved by a signature that it owns the authority'),
    enrollment_mode: enrollmentMode,
    certificate: z.string(),
    certificate_fingerprint: z.string().describe('SHA-256 of the DER encoding'),
    subject: z.string(),
    issuer: z.string(),
    validity: z.string().describe('When the certificate expires'),
    valid: z.boolean().describe('False once the certificate has expired'),
    revoked_serials: z.array(z.string()),
    created_at: z.string(),
    updated_at: z.string(),
    etag: z.string(),
  })
  .meta({ id: 'TrustedCertificate' });
export type TrustedCertificate = z.infer<typeof TrustedCertificate>;

export const changeable = {
  enrollment_mode: enrollmentMode.optional(),
  name: name.optional(),
  description: description.nullish(),
  status: status.optional(),
  signature: signature.nullish(),
  revoked_serials: revokedSerials.optional(),
};

export const TrustedCertificateChanges = recordChange(TrustedCertificate, changeable).meta({
  id: 'TrustedCertificateChanges',
  examples: [{ enrollment_mode: true }],
});
export type TrustedCertificateChanges = z.infer<typeof TrustedCertificateChanges>;
