import { z } from 'zod';
import { ExpirationInThePast } from '../errors.js';

/**
 * The latest time that facts and responses can express, with a year of four digits. A time of the year 9999 with an
 * offset can be later in UTC.
 */
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

export const expiration = z.iso
  .datetime({ offset: true })
  .refine((text) => !(Date.parse(text) > lastTimeMs), 'Must be before the year 10000 in UTC')
  .nullable()
  .optional()
  .describe('null: never');

/** Throws ExpirationInThePast. */
export const futureDate = (text: string | null | undefined, nowMs: number): Date | null => {
  if (text == null) return null;
  if (Date.parse(text) <= nowMs) throw new ExpirationInThePast();
  return new Date(text);
};

/**
 * Whether the caller wants another expiration than the stored one. If not, nothing changes, so that the record of an
 * expired key can be sent back: `futureDate` would refuse its expiration.
 */
export const isOtherTime = (wanted: string | null | undefined, before: Date | null): boolean =>
  wanted !== undefined && (wanted === null ? undefined : Date.parse(wanted)) !== before?.getTime();

export const shownStatus = (
  { status, expiresAt }: { status: 'active' | 'inactive'; expiresAt: Date | null },
  nowMs: number,
): 'ACTIVE' | 'INACTIVE' | 'EXPIRED' => {
  if (status !== 'active') return 'INACTIVE';
  return expiresAt !== null && expiresAt.getTime() <= nowMs ? 'EXPIRED' : 'ACTIVE';
};
