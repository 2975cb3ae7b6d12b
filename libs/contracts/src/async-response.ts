import { z } from 'zod';
import { base64 } from './fields.js';

export const AsyncResponseItemSchema = z.object({
  id: z.string(),
  status: z.number().int(),
  payload: base64.describe('"" if there is none'),
  ct: z.string().optional(),
  'max-age': z.number().int().nonnegative().optional(),
  error: z.string().optional(),
});

export type AsyncResponseItem = z.infer<typeof AsyncResponseItemSchema>;
