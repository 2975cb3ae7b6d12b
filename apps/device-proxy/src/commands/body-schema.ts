import type { ApiBodyOptions } from '@nestjs/swagger';
import { z } from 'zod';

/** For bodies that are checked by hand, because their errors are words of the v2 interface. */
export const bodySchema = (schema: z.ZodType): ApiBodyOptions => {
  const { $schema: _, id: __, ...json } = z.toJSONSchema(schema, { reused: 'inline', unrepresentable: 'any' });
  return { schema: json } as ApiBodyOptions;
};
