import { z } from 'zod';

/** Facts and answers have years of four digits; an offset can lead beyond them. */
export const lastTimeMs = Date.parse('9999-12-31T23:59:59.999Z');

/** EXPIRED is how a key that is over is shown: it comes back when its record is sent back. */
export const statusChange = z
  .enum(['ACTIVE', 'INACTIVE', 'EXPIRED'])
  .optional()
  .describe('EXPIRED is accepted and changes nothing: `expiration` determines when a key expires');

export const changedStatus = (
  before: 'active' | 'inactive',
  wanted: z.infer<typeof statusChange>,
): 'active' | 'inactive' => {
  if (wanted === 'ACTIVE') return 'active';
  return wanted === 'INACTIVE' ? 'inactive' : before;
};

/** When a key ends. */
export const expiration = z.iso
  .datetime({ offset: true })
  .refine((text) => !(Date.parse(text) > lastTimeMs), 'Must be before the year 10000 in UTC')
  .nullable()
  .optional()
  .describe('null: never');
