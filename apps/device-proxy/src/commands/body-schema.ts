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

/** The part of the body that an issue is about. */
const partAt = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown> | null | undefined)?.[key], body);

/**
 * The error token of a refused body; undefined: the one of any bad request. Where one of several texts is expected, Zod
 * calls everything else a wrong value, also if there is no text.
 */
export const bodyToken = ({ issues }: z.ZodError, body: unknown): 'MALFORMED_JSON_CONTENT' | undefined =>
  issues.some(
    ({ code, path }) => structural.has(code) || (code === 'invalid_value' && typeof partAt(body, path) !== 'string'),
  )
    ? 'MALFORMED_JSON_CONTENT'
    : undefined;

/** The response to a request that is executed later. */
export const AcceptedSchema = z.object({ 'async-response-id': z.string() }).meta({ id: 'AsyncAccepted' });
export type Accepted = z.infer<typeof AcceptedSchema>;

export const AsyncResponseSchema = AsyncResponseItemSchema.meta({
  id: 'AsyncResponse',
  examples: [{ id: 'read-1', status: 200, payload: 'MjEuNQ==', ct: 'text/plain', 'max-age': 60 }],
});
