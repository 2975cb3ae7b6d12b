import { z } from 'zod';

/** Facts and answers have years of four digits; an offset can lead beyond them. */
export const lastTimeMs = Date.parse('9999-12-31T23:59:59.999Z');

/** When a key ends. */
export const expiration = z.iso
  .datetime({ offset: true })
  .refine((text) => !(Date.parse(text) > lastTimeMs), 'Must be before the year 10000 in UTC')
  .nullable()
  .optional()
  .describe('null: never');
