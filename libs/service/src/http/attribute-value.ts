import { z } from 'zod';

/** A value of custom attributes: numbers and booleans are kept as the text that JSON has for them. */
export const attributeValue = (lengthMax: number): z.ZodType<string, string | number | boolean> => {
  // Counts code points, as the limits of all other texts do; `length` would count UTF-16 units.
  const fitting = z.string().max(lengthMax);
  return z
    .union([z.string(), z.number(), z.boolean()], { error: 'Must be text, a number or a boolean' })
    .transform(String)
    .refine((text) => fitting.safeParse(text).success, `At most ${lengthMax} characters`);
};
