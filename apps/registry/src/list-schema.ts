import { z } from 'zod';

/** Documentation of a list envelope (spec §2.6). */
export const listSchema = (item: z.ZodType, id: string): z.ZodObject =>
  z
    .object({
      object: z.literal('list'),
      data: z.array(item),
      limit: z.number().int(),
      after: z.string().nullable(),
      order: z.enum(['ASC', 'DESC']),
      has_more: z.boolean(),
      total_count: z.number().int().optional(),
    })
    .meta({ id });
