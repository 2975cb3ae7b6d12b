import { z } from 'zod';
import type { ListEnvelope } from './list-query.js';

const count = z.number().int();

/** Documentation of a list envelope (spec §2.6). `isCounted`: it always has the total. */
export const listSchema = <T>(item: z.ZodType<T>, id: string, isCounted = false): z.ZodType<ListEnvelope<T>> =>
  z
    .object({
      object: z.literal('list'),
      data: z.array(item),
      limit: z.number().int().describe('Page size'),
      after: z.string().nullable().describe('`after` of the request'),
      order: z.enum(['ASC', 'DESC']),
      has_more: z.boolean().describe('More items follow: repeat the request with the id of the last item as `after`'),
      total_count: isCounted ? count : count.optional().describe('Present with include=total_count'),
    })
    .meta({ id });
