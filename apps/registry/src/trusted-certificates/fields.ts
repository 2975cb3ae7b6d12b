import { revokedSerialsMax } from '@lanyard/contracts';
import { recordChange } from '@lanyard/service';
import { z } from 'zod';

export const trustedPerAccountMax = 20;

const enrolment = z
  .boolean()
  .describe('Whether a device that nobody created is created when it first shows a certificate of this issuer');
const name = z.string().max(128);

/** As `openssl x509 -serial` writes it, or with colons as in its text form; kept as on the wire, in lower case. */
const serial = z
  .string()
  .regex(/^(?:[0-9A-Fa-f]{1,40}|(?:[0-9A-Fa-f]{2}:){0,19}[0-9A-Fa-f]{2})$/, 'A serial number in hex, at most 20 bytes')
  .transform((text) => text.replaceAll(':', '').toLowerCase())
  .transform((text) => (text.length % 2 === 0 ? text : `0${text}`));

const revokedSerials = z
  .array(serial)
  .max(revokedSerialsMax)
  .transform((serials) => [...new Set(serials)].sort())
  .describe(
    'Serial numbers (hex) of certificates below this issuer that are not accepted any more: of devices, or of issuers between. Takes the place of the list before; what is connected with one of them is disconnected and its registration ends',
  );

/** Body of POST /v3/trusted-certificates. */
export const NewTrustedCertificateSchema = z
  .strictObject({
    certificate: z.string().min(1).max(16_384).describe('PEM of a certificate authority'),
    proof: z
      .base64()
      .max(2_048)
      .describe('The account id, signed with the private key of the certificate (SHA-256; DER for ECDSA)'),
    enrolment: enrolment.default(false),
    name: name.default(''),
  })
  .meta({ id: 'NewTrustedCertificate' });
export type NewTrustedCertificate = z.infer<typeof NewTrustedCertificateSchema>;

export const TrustedCertificateSchema = z
  .object({
    object: z.literal('trusted-certificate'),
    id: z.string(),
    account_id: z.string(),
    name: z.string(),
    certificate: z.string(),
    fingerprint: z.string().describe('SHA-256 of the DER form'),
    subject: z.string(),
    expires_at: z.string(),
    enrolment,
    revoked_serials: z.array(z.string()),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'TrustedCertificate' });
export type TrustedCertificate = z.infer<typeof TrustedCertificateSchema>;

/** What PUT changes. */
export const changeable = {
  enrolment: enrolment.optional(),
  name: name.optional(),
  revoked_serials: revokedSerials.optional(),
};

/** Body of PUT /v3/trusted-certificates/{id}: what is given is changed. */
export const TrustedCertificateChangesSchema = recordChange(TrustedCertificateSchema, changeable).meta({
  id: 'TrustedCertificateChanges',
});
export type TrustedCertificateChanges = z.infer<typeof TrustedCertificateChangesSchema>;
