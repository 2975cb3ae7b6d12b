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

/** What is wrong with a body as such, not with a value in it. */
const structural = new Set(['invalid_type', 'unrecognized_keys']);

/** The word for a body that is refused; undefined: the one for any bad request. */
export const bodyToken = ({ issues }: z.ZodError): 'MALFORMED_JSON_CONTENT' | undefined =>
  issues.some(({ code }) => structural.has(code)) ? 'MALFORMED_JSON_CONTENT' : undefined;

/** Answer of what is carried out later. */
export const AcceptedSchema = z.object({ 'async-response-id': z.string() }).meta({ id: 'AsyncAccepted' });
export type Accepted = z.infer<typeof AcceptedSchema>;

export const AsyncResponseSchema = AsyncResponseItemSchema.meta({ id: 'AsyncResponse' });
