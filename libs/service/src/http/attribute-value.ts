import { z } from 'zod';

/** A value of custom attributes: numbers and booleans are kept as the text that JSON has for them. */
export const attributeValue = (lengthMax: number): z.ZodType<string, string | number | boolean> =>
  z
    .union([z.string(), z.number(), z.boolean()], { error: 'Must be text, a number or a boolean' })
    .transform(String)
    .refine((text) => text.length <= lengthMax, `At most ${lengthMax} characters`);
