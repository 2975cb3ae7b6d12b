import { z } from 'zod';

/** Facts and responses have years of four digits; an offset could exceed them. */
export const lastTimeMs = Date.parse('9999-12-31T23:59:59.999Z');

/** An expired key is shown as EXPIRED, so clients that send its record back send this value. */
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

/** When a key expires. */
export const expiration = z.iso
  .datetime({ offset: true })
  .refine((text) => !(Date.parse(text) > lastTimeMs), 'Must be before the year 10000 in UTC')
  .nullable()
  .optional()
  .describe('null: never');
