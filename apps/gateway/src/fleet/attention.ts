import { AttentionItem, attentionCountMax, attentionKinds } from '@lanyard/contracts';
import { z } from 'zod';
import { LeftOut } from '../proxy/upstream-client.js';

export const Attention = z
  .object({
    object: z.literal('attention'),
    created_at: z.string(),
    kinds: z
      .array(
        z.object({
          kind: z.enum(attentionKinds),
          count: z.number().int().describe(`At most ${attentionCountMax}`),
          count_is_exact: z.boolean().describe('False: there are more than `count`'),
          data: z.array(AttentionItem).describe('The first five; GET /v3/attention/{kind} lists all'),
        }),
      )
      .describe('The kinds of problems, without those that the key may not see or whose service does not answer'),
    left_out: LeftOut,
  })
  .meta({ id: 'Attention' });
export type Attention = z.infer<typeof Attention>;
