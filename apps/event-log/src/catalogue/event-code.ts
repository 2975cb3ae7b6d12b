import { listLimit, type ListQuery, type ListSpec, pageOfConstants } from '@lanyard/service';
import { z } from 'zod';
import { eventCodes, toEventCode } from '../log/codes.js';
import { remedyOf } from './remedies.js';

export const EventCode = z
  .object({
    object: z.literal('device-event-code'),
    id: z.string().describe('The code, for example SYS_106 or UPD4_FAIL_27: `event_code` of a record'),
    event_type: z.string().describe('`event_type` of a record, for example 106'),
    event_type_category: z.string(),
    event_type_description: z.enum(['SUCCESS', 'FAIL', 'SKIPPED', 'INFO']),
    source: z
      .enum(['service', 'client'])
      .describe('What writes entries with this code: a service, or the update client on the device'),
    description: z.string().describe('What the code means'),
    remedy: z.string().describe('What to do about the event'),
  })
  .meta({ id: 'DeviceEventCode' });

export type EventCode = z.infer<typeof EventCode>;

export const EventCodeList = z
  .object({
    object: z.literal('list'),
    data: z.array(EventCode),
    limit: z.number().int(),
    after: z.string().nullable(),
    order: z.enum(['ASC', 'DESC']),
    has_more: z.boolean(),
    total_count: z.number().int(),
  })
  .meta({ id: 'DeviceEventCodeList' });

export type EventCodeList = z.infer<typeof EventCodeList>;

const record = (id: string): EventCode | undefined => {
  const found = Object.hasOwn(eventCodes, id) ? eventCodes[id] : undefined;
  return (
    found && {
      object: 'device-event-code',
      id,
      event_type: found.type,
      event_type_category: found.category,
      event_type_description: found.outcome,
      source: id.startsWith('SYS_') ? 'service' : 'client',
      description: found.meaning,
      remedy: remedyOf(id) ?? 'See the description of the entry.',
    }
  );
};

/** By `SYS_106` or `106`; undefined for a code that is not in the catalogue. */
export const findCode = (name: string): EventCode | undefined => record(toEventCode(name));

export const allCodes = (): EventCode[] => Object.keys(eventCodes).flatMap((id) => record(id) ?? []);

/** The order of the catalogue is the one of the specification. */
export const eventCodeListSpec = {
  filters: {
    id: 'text',
    event_type: 'text',
    event_type_category: 'text',
    event_type_description: 'text',
    source: 'text',
    description: 'text',
  },
  sets: { event_type_description: ['SUCCESS', 'FAIL', 'SKIPPED', 'INFO'], source: ['service', 'client'] },
  cursor: /^[A-Z]+\d*_[A-Z0-9_]+$/,
  defaultLimit: listLimit.max,
} as const satisfies ListSpec;

/** Throws PageNotFound if `after` is no code of the catalogue. */
export const listCodes = (query: ListQuery): EventCodeList =>
  pageOfConstants(allCodes(), { ...query, includeTotal: true }, ({ id }) => id) as EventCodeList;
