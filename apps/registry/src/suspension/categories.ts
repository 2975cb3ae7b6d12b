import { suspensionCategories } from '@lanyard/contracts';
import { z } from 'zod';
import type { SuspensionCategory } from '../devices/suspension-reason.js';

export const SuspensionReason = z
  .strictObject({
    category: z.enum(suspensionCategories, `Required: one of ${suspensionCategories.join(', ')}`),
    description: z.string().max(2_000).optional(),
  })
  .meta({ id: 'SuspensionReason' });
export type SuspensionReason = z.infer<typeof SuspensionReason>;

const descriptions: Record<SuspensionCategory, string> = {
  maintenance: 'In maintenance',
  lost_or_stolen: 'Lost or stolen',
  recalled: 'Recalled',
  security_breach: 'Security breach',
  other: 'Other',
};

export const BlockCategory = z
  .object({
    object: z.literal('device-block-category'),
    reference: z.enum(suspensionCategories),
    description: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'DeviceBlockCategory' });
export type BlockCategory = z.infer<typeof BlockCategory>;

/** The accepted suspension categories (spec §2.3). */
export const blockCategories: readonly BlockCategory[] = suspensionCategories.map((reference) => ({
  object: 'device-block-category',
  reference,
  description: descriptions[reference],
  updated_at: '2024-01-01T00:00:00.000000Z',
}));
