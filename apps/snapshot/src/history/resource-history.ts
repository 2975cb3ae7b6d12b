import { ValueHistorySchema } from '@lanyard/contracts';
import { z } from 'zod';
import { decoded } from '../resources/device-echo.js';

const HistoryValue = z
  .object({
    reported_at: z
      .string()
      .describe('When the device measured the value, if it reported a time; otherwise when the value arrived'),
    value: z.string().describe('base64'),
    content_type: z.string(),
    decoded,
  })
  .meta({ id: 'ResourceHistoryValue' });

const number = z.number().optional();

const HistoryStep = z
  .object({
    from: z.string().describe('The step ends `step_seconds` later'),
    count: z.number().int().describe('Number of values in the step; steps without values are omitted'),
    min: number.describe('Of numbers, and of booleans as 0 and 1; absent for other types'),
    max: number,
    mean: number,
    last: decoded.describe('The last value of the step, as in `decoded`'),
  })
  .meta({ id: 'ResourceHistoryStep' });

export const ResourceHistory = z
  .object({
    object: z.literal('resource-history'),
    device_id: z.string(),
    resource_path: z.string(),
    name: z.string().optional().describe('Of the resource, if its object is known'),
    type: z.string().optional().describe('Of the resource, if its object is known: float, string …'),
    kept: ValueHistorySchema.nullable().describe(
      'What the account keeps of each resource: `value_history` of GET /v3/accounts/me. null: nothing',
    ),
    from: z.string(),
    to: z.string(),
    count: z.number().int().describe('Number of values in the range'),
    has_earlier: z.boolean().describe('Whether the range had more values, which the account no longer keeps'),
    step_seconds: z
      .number()
      .int()
      .nullable()
      .describe('The length of the steps. null: the range has at most `points` values, which are in `values`'),
    values: z.array(HistoryValue).describe('Oldest first; empty if there are steps'),
    steps: z.array(HistoryStep).describe('Oldest first; empty if the range has at most `points` values'),
  })
  .meta({ id: 'ResourceHistory' });

export type ResourceHistory = z.infer<typeof ResourceHistory>;
