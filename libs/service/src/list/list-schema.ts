import { z } from 'zod';

/** Documentation of a list envelope (spec §2.6). */
export const listSchema = (item: z.ZodType, id: string): z.ZodObject =>
  z
    .object({
      object: z.literal('list'),
      data: z.array(item),
      limit: z.number().int().describe('Page size'),
      after: z.string().nullable().describe('`after` of the request'),
      order: z.enum(['ASC', 'DESC']),
      has_more: z.boolean().describe('More items follow: repeat the request with the id of the last item as `after`'),
      total_count: z.number().int().optional().describe('Present with include=total_count'),
    })
    .meta({ id });
