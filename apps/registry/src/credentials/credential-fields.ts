import { ValidationFailed } from '@lanyard/service';
import { z } from 'zod';

/** Several, so that a device can change its credential without an interruption: the new one is active before the old ends. */
export const credentialsPerDeviceMax = 10;

export const pskLimits = {
  /** RFC 4279 §5.3. */
  identityBytes: 128,
  keyBytesMin: 16,
  keyBytesMax: 64,
  /** Length of generated keys: the strength of the AES-128 suites. */
  generatedKeyBytes: 16,
} as const;

const hexKey = new RegExp(`^([0-9A-Fa-f]{2}){${pskLimits.keyBytesMin},${pskLimits.keyBytesMax}}$`);

/**
 * The chosen identity with the account in front. Throws ValidationFailed if it is too long. A handshake finds the
 * credential only by the identity, which is therefore unique in the installation. An identity that a customer chooses
 * contains the account, so that no response reveals what another account has chosen. An installation whose devices have
 * identities from the factory can turn this off (REGISTRY_PSK_IDENTITIES_QUALIFIED).
 */
export const qualifiedIdentity = (accountId: string, chosen: string): string => {
  const prefix = `${accountId}:`;
  const identity = chosen.startsWith(prefix) ? chosen : prefix + chosen;
  const bytesMax = pskLimits.identityBytes - prefix.length;
  if (Buffer.byteLength(identity) > pskLimits.identityBytes)
    throw new ValidationFailed([{ name: 'identity', message: `At most ${bytesMax} bytes` }]);
  return identity;
};

/** What a credential is valid for (docs/adr/0025). */
export const credentialServices = ['lwm2m', 'bootstrap'] as const;
export const service = z
  .enum(credentialServices)
  .describe('`bootstrap`: valid for bootstrapping (`/bs`, `/bspack`) and nothing else; `lwm2m`: for everything else');

export const credentialKinds = ['psk', 'certificate', 'raw_public_key'] as const;
export type CredentialKind = (typeof credentialKinds)[number];

export const NewCredential = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('psk'),
      service: service.default('lwm2m'),
      identity: z
        .string()
        .min(1)
        .refine((text) => Buffer.byteLength(text) <= pskLimits.identityBytes, 'At most 128 bytes')
        .refine((text) => !/[\u0000-\u001f\u007f]/.test(text), 'No control characters')
        .optional()
        .describe(
          'Generated if omitted. Otherwise the device must present `<account id>:<identity>`, which the response contains, so that identities of different accounts never collide. If the installation takes identities unchanged (`REGISTRY_PSK_IDENTITIES_QUALIFIED=false`), the device presents the identity itself',
        ),
      key: z
        .string()
        .regex(hexKey, '16 to 64 bytes in hex')
        .optional()
        .describe('In hexadecimal; generated if omitted'),
    }),
    z.strictObject({
      kind: z.literal('certificate'),
      service: service.default('lwm2m'),
      certificate: z.string().min(1).max(16_384).describe('PEM. The private key stays on the device'),
    }),
    z.strictObject({
      kind: z.literal('raw_public_key'),
      service: service.default('lwm2m'),
      public_key: z
        .string()
        .min(1)
        .max(1_024)
        .describe(
          'PEM of its SubjectPublicKeyInfo, on the curve P-256 (RFC 7250). The private key stays on the device',
        ),
    }),
  ])
  .meta({ id: 'NewDeviceCredential' });

export type NewCredential = z.infer<typeof NewCredential>;

const common = {
  object: z.literal('device-credential'),
  id: z.string(),
  device_id: z.string(),
  kind: z.enum(credentialKinds),
  service,
  bootstrapped: z.boolean().describe('Created when the device bootstrapped; the next bootstrap replaces it'),
  provisional: z.boolean().describe('Created for a bootstrap that has not ended; deleted if it fails'),
  identity: z.string().nullable().describe('For a pre-shared key'),
  fingerprint: z
    .string()
    .nullable()
    .describe('SHA-256 of the DER encoding of a certificate, or of a SubjectPublicKeyInfo'),
  subject: z.string().nullable(),
  expires_at: z.string().nullable().describe('For a certificate: when it expires'),
  created_at: z.string(),
};

/** Without the key, which is write-only. */
export const Credential = z.object(common).meta({ id: 'DeviceCredential' });
export type Credential = z.infer<typeof Credential>;

export const CreatedCredential = z
  .object({
    ...common,
    key: z.string().optional().describe('The pre-shared key in hex; only this response contains it'),
  })
  .meta({ id: 'CreatedDeviceCredential' });
export type CreatedCredential = z.infer<typeof CreatedCredential>;
