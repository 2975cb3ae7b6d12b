import { readDate, recordChange } from '@lanyard/service';
import { z } from 'zod';
import { notBlank } from '../images/image-fields.js';
import { campaignDaysMax, concurrencyMax } from '../limits.js';
import { Campaign } from './campaign-record.js';

export const nameMax = 128;

const hour = /^([01]\d|2[0-3]):[0-5]\d$/;
const timeOfDay = z.string().regex(hour, 'Must be a time of day such as 22:30');

/** PostgreSQL has no year 0. */
const time = z.iso
  .datetime()
  .max(32)
  .refine((text) => !text.startsWith('0000'), 'Must be a time of the years 0001 to 9999');

const timeOut = (meaning: string, max: number): z.ZodNumber => z.number().int().min(60).max(max).describe(meaning);

const weekSeconds = 604_800;

const fields = {
  name: notBlank(nameMax),
  description: z.string().max(2000).nullable(),
  group_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'Must be the id of a device group')
    .nullable()
    .describe('Selects only members of this device group'),
  filter: z
    .string()
    .min(1)
    .max(4000)
    .nullable()
    .describe(
      'Selects only devices that match this filter, in the form of `filter` of `GET /v3/devices`. Without `group_id` and `filter`, all devices of the account are selected',
    ),
  when: time.nullable().describe('When the campaign starts after a call of `start`; null: immediately'),
  ends_at: time
    .nullable()
    .describe(
      `When the campaign ends; devices that were not reached by then fail. Default: ${campaignDaysMax} days after the start`,
    ),
  window: z
    .strictObject({ from: timeOfDay, to: timeOfDay })
    .refine(({ from, to }) => from !== to, 'Must not be empty')
    .nullable()
    .describe('Time of day (UTC) in which updates of devices begin; it may span midnight'),
  concurrency: z
    .number()
    .int()
    .min(1)
    .max(concurrencyMax)
    .describe('Maximum number of devices that are updated at the same time'),
  retries: z.number().int().min(0).max(10).describe('Further attempts after the first one'),
  failure_percent_max: z
    .number()
    .int()
    .min(0)
    .max(100)
    .nullable()
    .describe(
      'The campaign stops when more than this percentage of its updates have failed. Devices that are skipped, and those that fail before their update begins because they are suspended or deleted, do not count',
    ),
  failure_count_min: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .describe('The campaign does not stop before this number of updates have failed'),
  delivery: z
    .enum(['auto', 'pull', 'push'])
    .describe(
      'How devices get the package: `pull` (from a URI), `push`, or `auto`: as each device supports it (`/5/0/8`, `/5/0/9`)',
    ),
  download_timeout_seconds: timeOut('Maximum duration of the download by a device', weekSeconds),
  install_timeout_seconds: timeOut('Maximum duration of the installation on a device', weekSeconds),
};

/** Body of POST /v3/update-campaigns. */
export const NewCampaign = z
  .strictObject({
    name: fields.name,
    firmware_image_id: z.string(),
    description: fields.description.default(''),
    group_id: fields.group_id.default(null),
    filter: fields.filter.default(null),
    when: fields.when.default(null),
    ends_at: fields.ends_at.default(null),
    window: fields.window.default(null),
    concurrency: fields.concurrency.default(10),
    retries: fields.retries.default(2),
    failure_percent_max: fields.failure_percent_max.default(null),
    failure_count_min: fields.failure_count_min.default(10),
    delivery: fields.delivery.default('auto'),
    download_timeout_seconds: fields.download_timeout_seconds.default(21_600),
    install_timeout_seconds: fields.install_timeout_seconds.default(3_600),
  })
  .meta({
    id: 'NewUpdateCampaign',
    examples: [
      {
        name: 'Meters to 2.1',
        firmware_image_id: '0178a2c0d1e400000000000000000e01',
        filter: 'endpoint_type=meter',
        concurrency: 50,
        window: { from: '22:00', to: '04:00' },
        failure_percent_max: 20,
      },
    ],
  });
export type NewCampaign = z.infer<typeof NewCampaign>;

/** The fields that PUT changes in a draft; of a campaign that was started, only those in `alwaysChangeable`. */
export const changeable = z.object(fields).partial().shape;

export const alwaysChangeable: readonly string[] = [
  'name',
  'description',
  'ends_at',
  'window',
  'concurrency',
  'retries',
  'failure_percent_max',
  'failure_count_min',
];

export const CampaignChanges = recordChange(Campaign, changeable).meta({
  id: 'UpdateCampaignChanges',
  examples: [{ concurrency: 100 }],
});
export type CampaignChanges = z.infer<typeof CampaignChanges>;

const dayMs = 86_400_000;

/** RFC 3339 has no later year, so clients could not send a record with a later end back. */
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

/** When a campaign ends that starts at `startsMs`: at `endsAt`, but at most `campaignDaysMax` days after its start. */
export const endOf = (startsMs: number, endsAt: string | null): Date =>
  new Date(Math.min(startsMs + campaignDaysMax * dayMs, lastMs, endsAt === null ? Infinity : Date.parse(endsAt)));

/** To the microsecond, as times are compared. PostgreSQL would round a longer fraction, at the end of 9999 to the year 10000. */
const storedTime = (time: string | null): string | null => time && (readDate(time) ?? time);

/** A description of null is the empty one, as in other records. */
export const columnsOfFields = ({
  description,
  when,
  ends_at: endsAt,
  window,
  ...others
}: Partial<Omit<NewCampaign, 'firmware_image_id'>>): Record<string, unknown> => ({
  ...others,
  ...(description !== undefined && { description: description ?? '' }),
  ...(when !== undefined && { starts_at: storedTime(when) }),
  ...(endsAt !== undefined && { ends_at: storedTime(endsAt) }),
  ...(window !== undefined && { window_from: window?.from ?? null, window_to: window?.to ?? null }),
});
