import { isoTime, type ListSpec } from '@lanyard/service';
import { z } from 'zod';
import { packageObjects } from '../machine/device-update.js';

export const notBlank = (max: number): z.ZodString => z.string().min(1).max(max).regex(/\S/, 'Must not be blank');

/** Query of POST /v3/firmware-images: the body is the bytes. */
const newImage = z.strictObject({
  name: notBlank(128),
  version: notBlank(64),
  description: z.string().max(2000).default(''),
  object: z.coerce.number().pipe(z.literal(packageObjects)).default(5),
  package_name: notBlank(255).optional(),
  datafile_checksum: z
    .string()
    .regex(/^[0-9A-Fa-f]{64}$/, 'Must be a SHA-256 in hexadecimal')
    .transform((text) => text.toLowerCase())
    .optional(),
});
/** A package for object 9 needs its name, which alone tells which package an instance has installed. */
export const NewImage = newImage.superRefine(({ object, package_name: name }, context) => {
  const complain = (message: string): void => context.addIssue({ code: 'custom', path: ['package_name'], message });
  if (object === 9 && name === undefined)
    complain('Required for object 9: the name of the package on devices (`/9/n/0`)');
  if (object === 5 && name !== undefined) complain('Only packages of object 9 have it');
});
export type NewImage = z.infer<typeof NewImage>;

export const Image = z
  .object({
    object: z.literal('firmware-image'),
    id: z.string(),
    account_id: z.string(),
    name: z.string(),
    description: z.string(),
    version: z
      .string()
      .describe(
        'What a device reports after the update: at `/3/0/3` for a firmware image, at `/9/n/1` for a software package',
      ),
    package_object: z
      .number()
      .int()
      .describe('LwM2M object that installs the package: 5 (firmware update) or 9 (software management)'),
    package_name: z.string().nullable().describe('For object 9: the name of the package on devices (`/9/n/0`)'),
    datafile_size: z.number().int().describe('Size in bytes'),
    datafile_checksum: z.string().describe('SHA-256 in hexadecimal'),
    created_at: z.string(),
    updated_at: z.string(),
    etag: z.string(),
  })
  .meta({ id: 'FirmwareImage' });
export type Image = z.infer<typeof Image>;

/** SELECT list of an Image; the table is `t`. */
export const imageRecord = `
  'firmware-image' AS object, t.id, t.account_id, t.name, t.description, t.version, t.object AS package_object, t.package_name,
  t.size AS datafile_size, t.checksum AS datafile_checksum, ${isoTime('t.created_at')} AS created_at,
  ${isoTime('t.updated_at')} AS updated_at, ${isoTime('t.updated_at')} AS etag`;

export const imageColumns = { package_object: 't.object', datafile_size: 't.size', datafile_checksum: 't.checksum' };

export const imageListSpec: ListSpec = {
  filters: {
    id: 'text',
    name: 'text',
    version: 'text',
    package_object: 'number',
    package_name: 'text',
    datafile_size: 'number',
    datafile_checksum: 'text',
    created_at: 'date',
    updated_at: 'date',
  },
};
