import type { ApiBodyOptions } from '@nestjs/swagger';
import { AsyncResponseItemSchema } from '@lanyard/contracts';
import { z } from 'zod';

/** Schemas of bodies that are validated by hand, because the v2 interface has its own error tokens. */
export const bodySchema = (schema: z.ZodType): ApiBodyOptions => {
  const {
    $schema: _,
    id: __,
    ...json
  } = z.toJSONSchema(schema, { io: 'input', reused: 'inline', unrepresentable: 'any' });
  return { schema: json } as ApiBodyOptions;
};

/** Problems of the body as a whole, not of a value in it. */
const structural = new Set(['invalid_type', 'unrecognized_keys']);

/** The error token of a refused body; undefined: the one of any bad request. */
export const bodyToken = ({ issues }: z.ZodError): 'MALFORMED_JSON_CONTENT' | undefined =>
  issues.some(({ code }) => structural.has(code)) ? 'MALFORMED_JSON_CONTENT' : undefined;

/** The response to a request that is executed later. */
export const AcceptedSchema = z.object({ 'async-response-id': z.string() }).meta({ id: 'AsyncAccepted' });
export type Accepted = z.infer<typeof AcceptedSchema>;

export const AsyncResponseSchema = AsyncResponseItemSchema.meta({ id: 'AsyncResponse' });
