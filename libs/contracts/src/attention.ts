import { z } from 'zod';

/** Kinds of problems that need the attention of an operator. The service that finds a kind lists it at `/v3/attention/<kind>`. */
export const attentionKinds = [
  'lost-subscriptions',
  'stuck-commands',
  'failing-channels',
  'expiring-certificates',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

/** Counts end here: an operator does not look at more of them one by one. */
export const attentionCountMax = 1_000;

/** A problem as these lists show it, and as the gateway puts it together with those of the other services. */
export const AttentionItem = z
  .object({
    object: z.literal('attention-item'),
    kind: z.enum(attentionKinds),
    id: z.string().describe('Stays the same as long as the item is listed'),
    device_id: z.string().nullable(),
    key_id: z.string().nullable().describe('The key of the subscription, the command or the channel'),
    since: z.string().describe('When the problem began; for a certificate: when it expires'),
    text: z.string().describe('What is wrong and how to fix it, in sentences'),
  })
  .meta({ id: 'AttentionItem' });
export type AttentionItem = z.infer<typeof AttentionItem>;
