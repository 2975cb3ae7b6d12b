import { z } from 'zod';

/** Documentation of a list that always carries the total. */
export const listOf = (item: z.ZodType, id: string): z.ZodObject =>
  z
    .object({
      object: z.literal('list'),
      data: z.array(item),
      limit: z.number().int(),
      after: z.string().nullable(),
      order: z.enum(['ASC', 'DESC']),
      has_more: z.boolean(),
      total_count: z.number().int(),
    })
    .meta({ id });

export const recordName = z.string().trim().min(1).max(100);

const groupId = z.string().regex(/^[0-9a-f]{32}$/, 'Must be 32 lower-case hex characters');

/** Groups of a key or an application. */
export const groupIds = z.array(groupId).max(100);

export const GroupIdsSchema = groupIds.min(1).meta({ id: 'KeyGroupIds' });
