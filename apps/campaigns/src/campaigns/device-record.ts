import { isoTime, type ListSpec } from '@lanyard/service';
import { z } from 'zod';
import { deviceStates, steps } from '../machine/device-update.js';

export const CampaignDevice = z
  .object({
    object: z.literal('update-campaign-device'),
    id: z.string().describe('Id of the device'),
    device_id: z.string(),
    campaign_id: z.string(),
    endpoint_name: z.string().nullable(),
    state: z.enum(deviceStates),
    step: z.enum(steps).nullable().describe('The current step of a device that is `updating`'),
    attempt: z.number().int(),
    delivery: z.enum(['pull', 'push']).nullable(),
    previous_version: z.string().nullable(),
    event_code: z.string().nullable().describe('Code of the entry in the event log with which the update ended'),
    reason: z
      .string()
      .nullable()
      .describe(
        'Why the update, or the attempt before this one, failed; in the step `download`, why the device refused the package, which it may be downloading from an earlier write',
      ),
    added_at: z.string(),
    updated_at: z.string(),
    finished_at: z.string().nullable(),
  })
  .meta({ id: 'UpdateCampaignDevice' });
export type CampaignDevice = z.infer<typeof CampaignDevice>;

/** SELECT list of a CampaignDevice; the table is `t`. */
export const deviceRecord = `
  'update-campaign-device' AS object, t.device_id AS id, t.device_id, t.campaign_id, t.endpoint_name, t.state, t.step,
  t.attempt, t.delivery, t.previous_version, t.code AS event_code, t.reason, ${isoTime('t.added_at')} AS added_at,
  ${isoTime('t.updated_at')} AS updated_at, ${isoTime('t.finished_at')} AS finished_at`;

/** The devices of the campaign $1. `id` is another name of `device_id`, because lists are ordered by `id`. */
export const deviceSource = `
  (SELECT device_id AS id, * FROM campaigns.campaign_devices WHERE campaign_id = $1) t`;

export const deviceColumns = { event_code: 't.code' };

export const deviceListSpec: ListSpec = {
  filters: {
    device_id: 'text',
    endpoint_name: 'text',
    state: 'text',
    step: 'text',
    event_code: 'text',
    finished_at: 'date',
  },
  sets: { state: deviceStates, step: steps },
};

const count = z.number().int();

export const Progress = z
  .object({
    object: z.literal('update-campaign-progress'),
    campaign_id: z.string(),
    devices: count,
    waiting: count,
    updating: count,
    succeeded: count,
    skipped: count,
    failed: count,
    stopped: count,
    is_selection_complete: z.boolean().describe('Whether all devices of the campaign are counted'),
  })
  .meta({ id: 'UpdateCampaignProgress' });
export type Progress = z.infer<typeof Progress>;
