import {
  AccessDenied,
  Caller,
  CLOCK,
  type Clock,
  formatTimestamp,
  type Identity,
  lacks,
  Operation,
  readDate,
  RequiresPermission,
  ValidationFailed,
} from '@lanyard/service';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { lastTimeMs } from '../access/expiration.js';
import { allows, notifications, type Permission } from '../permissions.js';
import { OneSubject } from '../errors.js';
import { Explanation, timelineLimit } from './explanation.js';
import { Explanations, type Page } from './explanations.js';

export interface ExplainQuery {
  'async-id'?: string | string[];
  device_id?: string | string[];
  uid?: string | string[];
  limit?: string;
  before?: string | string[];
}

/** No subject has a longer name. */
const idLengthMax = 64;

/** Throws AccessDenied. */
const requirePermission = ({ permissions }: Identity, needed: Permission): void => {
  if (!allows(permissions, needed)) throw new AccessDenied(lacks(needed));
};

/**
 * The time in the form that the times of entries have, because the two are compared as text. undefined if it is not a
 * time from 1970 to 9999.
 */
const readTime = (text: string | string[]): string | undefined => {
  if (typeof text !== 'string') return undefined;
  const ms = Date.parse(text);
  if (!(ms >= 0 && ms <= lastTimeMs)) return undefined;
  // In contrast to a Date, `readDate` keeps microseconds and does not turn 30 February into a day in March.
  return /^\d{4}-\d\d-\d\d/.test(text) ? readDate(text) : formatTimestamp(ms);
};

const readPage = ({ limit, before }: ExplainQuery, nowMs: number): Page => {
  const count = limit === undefined || limit === '' ? timelineLimit.default : Number(limit);
  if (!Number.isInteger(count)) throw new ValidationFailed([{ name: 'limit', message: 'Must be a whole number' }]);
  const end = before === undefined || before === '' ? formatTimestamp(nowMs + 60_000) : readTime(before);
  if (end === undefined) throw new ValidationFailed([{ name: 'before', message: 'Must be a time from 1970 to 9999' }]);
  return { limit: Math.min(timelineLimit.max, Math.max(timelineLimit.min, count)), before: end };
};

const subjects = ['async-id', 'device_id', 'uid'] as const;

const readSubject = (query: ExplainQuery): [(typeof subjects)[number], string] => {
  const given = subjects.flatMap((name) => (query[name] ? [name] : []));
  const [name] = given;
  const id = name && query[name];
  if (given.length !== 1 || name === undefined || typeof id !== 'string') throw new OneSubject();
  if (id.length > idLengthMax) throw new ValidationFailed([{ name, message: `At most ${idLengthMax} characters` }]);
  return [name, id];
};

/** What happened, in chronological order over all services, and what must happen next. */
@ApiTags('Explain')
@RequiresPermission('devices.read')
@Controller('v3/explain')
export class ExplainController {
  constructor(
    private readonly explanations: Explanations,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    summary: 'Explain a command, a device or an event',
    description:
      'Give exactly one of `async-id` (a command of the calling key; requires `commands`), `device_id` (requires `devices.read`) and `uid` ' +
      '(an event, as delivered on a channel with `include_uid`; found for 26 hours; requires `notifications`). ' +
      '`left_out` names the services that the key may not see and those that did not answer.',
    ok: Explanation,
    notFound: 'The account (for async-id: the key) has no such subject',
  })
  @ApiQuery({ name: 'async-id', required: false, type: String })
  @ApiQuery({
    name: 'device_id',
    required: false,
    type: String,
    description: 'Device id or endpoint name',
    example: 'thermo-1',
  })
  @ApiQuery({ name: 'uid', required: false, type: String })
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', default: timelineLimit.default },
    description: `How many of the newest entries to return: ${timelineLimit.min} to ${timelineLimit.max}; values outside are moved to the nearest bound`,
  })
  @ApiQuery({ name: 'before', required: false, type: String, description: 'Returns only entries before this time' })
  @ApiResponse({ status: 400, description: 'The request has no subject, more than one subject, or a malformed one' })
  async explain(@Caller() caller: Identity, @Query() query: ExplainQuery): Promise<Explanation> {
    const [subject, id] = readSubject(query);
    const page = readPage(query, this.clock.now());
    if (subject === 'device_id') return this.explanations.device(caller, id, page);
    requirePermission(caller, subject === 'uid' ? notifications : 'commands');
    return subject === 'uid' ? this.explanations.event(caller, id, page) : this.explanations.command(caller, id, page);
  }
}
