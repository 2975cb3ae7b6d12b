import type { suspensionCategories } from '@lanyard/contracts';

export type SuspensionCategory = (typeof suspensionCategories)[number];

/** Operators suspend over the API; the system does by itself. The two are kept apart (spec §2.2). */
type SuspendedBy = 'operator' | 'system';

export interface Reason {
  category: SuspensionCategory;
  description?: string | undefined;
}

/** A suspension as device.lifecycle announces it. */
export const announcedSuspension = (
  by: SuspendedBy,
  { category, description }: Reason,
  at: string,
): { by: SuspendedBy; category: SuspensionCategory; at: string; description?: string } => ({
  by,
  category,
  at,
  ...(description && { description }),
});
