import { suspensionCategories } from '@lanyard/contracts';
import type { SuspensionCategory } from '../devices/suspension-reason.js';

const descriptions: Record<SuspensionCategory, string> = {
  maintenance: 'In maintenance',
  lost_or_stolen: 'Lost or stolen',
  recalled: 'Recalled',
  security_breach: 'Security breach',
  other: 'Other',
};

export interface BlockCategory {
  object: 'device-block-category';
  reference: SuspensionCategory;
  description: string;
  updated_at: string;
}

/** The accepted suspension categories (spec §2.3). */
export const blockCategories: readonly BlockCategory[] = suspensionCategories.map((reference) => ({
  object: 'device-block-category',
  reference,
  description: descriptions[reference],
  updated_at: '2024-01-01T00:00:00.000000Z',
}));
