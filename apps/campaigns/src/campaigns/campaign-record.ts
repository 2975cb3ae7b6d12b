import { isoTime, type ListSpec } from '@lanyard/service';
import { z } from 'zod';

const campaignStates = ['draft', 'scheduled', 'running', 'paused', 'stopping', 'done', 'aborted'] as const;
export type CampaignState = (typeof campaignStates)[number];

/** The outcome of a dry run: numbers of devices by what would happen to them. */
const Forecast = z
  .object({
    state: z.enum(['running', 'done', 'refused']),
    message: z
      .string()
      .optional()
      .describe('Why the devices could not be selected, or since when the directory has not answered'),
    devices: z.number().int().describe('Number of selected devices'),
    suspended: z.number().int().describe('Number of suspended devices, which would fail immediately'),
    up_to_date: z
      .number()
      .int()
      .describe(
        'Number of devices that would be skipped, because a campaign has already read the wanted version from them',
      ),
    busy: z.number().int().describe('Number of devices that would wait for another campaign'),
    not_registered: z.number().int().describe('Number of devices that would wait until they register'),
    asleep: z
      .number()
      .int()
      .describe('Number of devices registered in queue mode, which would wait until they wake up'),
    ready: z
      .number()
      .int()
      .describe('Number of devices that would be updated immediately, as far as `concurrency` allows'),
  })
  .meta({ id: 'UpdateCampaignForecast' });
export type Forecast = z.infer<typeof Forecast>;

export const emptyForecast: Forecast = {
  state: 'running',
  devices: 0,
  suspended: 0,
  up_to_date: 0,
  busy: 0,
  not_registered: 0,
  asleep: 0,
  ready: 0,
};

export const Campaign = z
  .object({
    object: z.literal('update-campaign'),
    id: z.string(),
    account_id: z.string(),
    name: z.string(),
    description: z.string(),
    firmware_image_id: z.string(),
    firmware_version: z.string(),
    package_object: z.number().int().describe('Object that installs the package: 5 or 9'),
    package_name: z.string().nullable(),
    group_id: z.string().nullable(),
    filter: z.string().nullable(),
    state: z.enum(campaignStates),
    reason: z
      .string()
      .nullable()
      .describe(
        'Why the campaign was stopped or paused, or since when it has waited for the selection of its devices; null after a pause by an operator',
      ),
    when: z.string().nullable().describe('When a scheduled campaign starts'),
    ends_at: z.string().nullable(),
    window: z.object({ from: z.string(), to: z.string() }).nullable(),
    concurrency: z.number().int(),
    retries: z.number().int(),
    failure_percent_max: z.number().int().nullable(),
    failure_count_min: z.number().int(),
    delivery: z.enum(['auto', 'pull', 'push']),
    download_timeout_seconds: z.number().int(),
    install_timeout_seconds: z.number().int(),
    dry_run: Forecast.nullable(),
    started_at: z.string().nullable(),
    finished_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    etag: z.string(),
  })
  .meta({ id: 'UpdateCampaign' });
export type Campaign = z.infer<typeof Campaign>;

/** The directory usually answers within a second. It repeats a selection that fails, after pauses. */
const isUnanswered = `t.selection_id IS NOT NULL AND NOT t.selection_complete
    AND t.selection_asked_at < clock_timestamp() - interval '1 minute'`;
const unanswered = `'the directory has not answered the selection of devices since ' || ${isoTime('t.selection_asked_at')}`;

const reason = `
  CASE WHEN t.state IN ('running', 'paused') AND ${isUnanswered} THEN ${unanswered} ELSE t.reason END`;

const dryRun = `
  CASE WHEN t.state = 'draft' AND t.dry_run ->> 'state' = 'running' AND ${isUnanswered}
    THEN t.dry_run || jsonb_build_object('message', ${unanswered}) ELSE t.dry_run END`;

/** SELECT list of a Campaign; the table is `t`. */
export const campaignRecord = `
  'update-campaign' AS object, t.id, t.account_id, t.name, t.description, t.image_id AS firmware_image_id,
  t.version AS firmware_version, t.object AS package_object, t.package_name, t.group_id, t.filter, t.state,
  ${reason} AS reason, ${isoTime('t.starts_at')} AS "when",
  ${isoTime('t.ends_at')} AS ends_at,
  CASE WHEN t.window_from IS NOT NULL THEN jsonb_build_object('from', t.window_from, 'to', t.window_to) END AS "window",
  t.concurrency, t.retries, t.failure_percent_max, t.failure_count_min, t.delivery, t.download_timeout_seconds,
  t.install_timeout_seconds, ${dryRun} AS dry_run, ${isoTime('t.started_at')} AS started_at,
  ${isoTime('t.finished_at')} AS finished_at, ${isoTime('t.created_at')} AS created_at,
  ${isoTime('t.updated_at')} AS updated_at, ${isoTime('t.updated_at')} AS etag`;

export const campaignColumns = { firmware_image_id: 't.image_id', when: 't.starts_at' };

export const campaignListSpec: ListSpec = {
  filters: {
    id: 'text',
    name: 'text',
    state: 'text',
    firmware_image_id: 'text',
    group_id: 'text',
    when: 'date',
    started_at: 'date',
    finished_at: 'date',
    created_at: 'date',
    updated_at: 'date',
  },
  sets: { state: campaignStates },
};
