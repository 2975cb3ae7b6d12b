import { z } from 'zod';

export const trustedPerAccountMax = 20;

const enrolment = z
  .boolean()
  .describe('Whether a device that nobody created is created when it first shows a certificate of this issuer');
const name = z.string().max(128);

/** Body of POST /v3/trusted-certificates. */
export const NewTrustedCertificateSchema = z
  .object({
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

/** Body of PUT /v3/trusted-certificates/{id}: what is given is changed. */
export const TrustedCertificateChangesSchema = z
  .object({ enrolment: enrolment.optional(), name: name.optional() })
  .meta({ id: 'TrustedCertificateChanges' });
export type TrustedCertificateChanges = z.infer<typeof TrustedCertificateChangesSchema>;

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
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'TrustedCertificate' });
export type TrustedCertificate = z.infer<typeof TrustedCertificateSchema>;
