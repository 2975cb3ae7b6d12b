import { z } from 'zod';
import { LeftOut } from '../proxy/upstream-client.js';

const count = z.number().int();

const DeviceCounts = z
  .object({
    total: count,
    by_state: z.record(z.string(), count).describe('By `state`, as in GET /v3/devices'),
    by_lifecycle_status: z.record(z.string(), count).describe('enabled, blocked'),
  })
  .meta({ id: 'DeviceCounts' });
export type DeviceCounts = z.infer<typeof DeviceCounts>;

const StatisticsStep = z
  .object({
    from: z.string(),
    registrations: count,
    registration_updates: count,
    deregistrations: count,
    registrations_expired: count,
    values: count.describe('Values that devices reported'),
    commands_succeeded: count,
    commands_failed: count.describe('Commands that the device rejected, or that were cancelled'),
    commands_expired: count,
    events_dropped: count.describe('Events that were removed from the queues of channels without delivery'),
  })
  .meta({ id: 'StatisticsStep' });

const steps = {
  step_seconds: z.union([z.literal(10), z.literal(300)]),
  from: z.string(),
  to: z.string(),
  steps: z.array(StatisticsStep).describe('Every step from `from` to `to`, oldest first. The newest one is incomplete'),
};

export type StepsPart = z.infer<z.ZodObject<typeof steps>>;

export const Statistics = z
  .object({
    object: z.literal('statistics'),
    created_at: z.string(),
    devices: DeviceCounts.nullable().describe(
      'Number of devices in each state at this moment; null if the registry is in `left_out`',
    ),
    ...steps,
    left_out: LeftOut,
  })
  .meta({ id: 'Statistics' });
export type Statistics = z.infer<typeof Statistics>;
