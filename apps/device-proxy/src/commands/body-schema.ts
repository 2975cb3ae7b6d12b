import type { ApiBodyOptions } from '@nestjs/swagger';
import { AsyncResponseItemSchema } from '@lanyard/contracts';
import { z } from 'zod';

/** For bodies that are checked by hand, because their errors are words of the v2 interface. */
export const bodySchema = (schema: z.ZodType): ApiBodyOptions => {
  const {
    $schema: _,
    id: __,
    ...json
  } = z.toJSONSchema(schema, { io: 'input', reused: 'inline', unrepresentable: 'any' });
  return { schema: json } as ApiBodyOptions;
};

/** Answer of what is carried out later. */
export const AcceptedSchema = z.object({ 'async-response-id': z.string() }).meta({ id: 'AsyncAccepted' });
export type Accepted = z.infer<typeof AcceptedSchema>;

export const AsyncResponseSchema = AsyncResponseItemSchema.meta({ id: 'AsyncResponse' });
