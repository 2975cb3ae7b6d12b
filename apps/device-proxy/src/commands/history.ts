import {
  FairQueue,
  formatTimestamp,
  type Identity,
  inOrder,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
  pageOfRows,
  withinPage,
} from '@lanyard/service';
import { commandKinds, isInScope } from '@lanyard/contracts';
import { DataSource, In } from 'typeorm';
import { z } from 'zod';
import { Injectable } from '@nestjs/common';
import { CommandNotFound } from '../errors.js';
import { DeviceGroupsReader } from '../state/device-groups.reader.js';
import { Command, type CommandState } from './command.entity.js';

const commandStates = ['waiting', 'executing', 'succeeded', 'failed', 'expired', 'cancelled'] as const;

const nullable = z.string().nullable();

/** A request and its outcome. */
export const CommandRecordSchema = z
  .object({
    id: z.string(),
    object: z.literal('device-request'),
    async_id: z.string(),
    device_id: z.string(),
    kind: z.enum(commandKinds),
    method: z.enum(['GET', 'PUT', 'POST', 'DELETE', 'FETCH', 'IPATCH']),
    uri: z.string(),
    state: z.enum(commandStates),
    attempts: z.number().int().describe('How many times the command was sent to the device'),
    attempted_at: nullable,
    created_at: z.string(),
    expires_at: z.string(),
    finished_at: nullable,
    status: z.number().int().nullable().describe('Status of the asynchronous response'),
    error: nullable.describe('Error of the asynchronous response, for example NOT_CONNECTED'),
    note: nullable,
    payload: nullable.describe('base64'),
    content_type: nullable,
  })
  .meta({ id: 'DeviceCommand' });
export type CommandRecord = z.infer<typeof CommandRecordSchema>;

export const commandRecord = (command: Command): CommandRecord => ({
  id: command.id,
  object: 'device-request',
  async_id: command.asyncId,
  device_id: command.deviceId,
  kind: command.kind,
  method: command.method,
  uri: command.query.length > 0 ? `${command.path}?${command.query.join('&')}` : command.path,
  state: command.state,
  attempts: command.attempts,
  attempted_at: command.attemptedAt && formatTimestamp(command.attemptedAt),
  created_at: formatTimestamp(command.acceptedAt),
  expires_at: formatTimestamp(command.expiresAt),
  finished_at: command.finishedAt && formatTimestamp(command.finishedAt),
  status: command.status,
  error: command.error,
  note: command.note,
  payload: command.result?.toString('base64') ?? null,
  content_type: command.resultType,
});

/** The columns that `commandRecord` needs, without the result, which may have 1 MiB. The payload of the request is not shown. */
export const outlineColumns = {
  id: true,
  asyncId: true,
  deviceId: true,
  kind: true,
  method: true,
  path: true,
  query: true,
  state: true,
  attempts: true,
  attemptedAt: true,
  acceptedAt: true,
  expiresAt: true,
  finishedAt: true,
  status: true,
  error: true,
  note: true,
  resultType: true,
} as const;

export const historySpec = {
  filters: { async_id: 'text', device_id: 'text', state: 'text' },
  sets: { state: commandStates },
  defaultOrder: 'DESC',
} as const;

/** The key whose commands are listed, its account, and the device groups that it is limited to. */
type CommandOwner = Pick<Identity, 'accountId' | 'keyId' | 'deviceGroups'>;

/** The commands of one key, newest first. SQL finds the ids of a page by the filters of the API. */
@Injectable()
export class CommandHistory {
  constructor(
    private readonly dataSource: DataSource,
    private readonly groups: DeviceGroupsReader,
  ) {}

  list(caller: CommandOwner, query: ListQuery): Promise<ListEnvelope<CommandRecord>> {
    return FairQueue.at(this.dataSource).run(caller.accountId, () => this.page(caller, query));
  }

  private async page(caller: CommandOwner, query: ListQuery): Promise<ListEnvelope<CommandRecord>> {
    const { keyId, deviceGroups } = caller;
    const where = 't.key_id = $1 AND ($2::text[] IS NULL OR t.device_id = ANY($2))';
    const parameters = [keyId, deviceGroups ? this.groups.devicesIn(deviceGroups) : null];
    const selected = 't.id, coalesce(octet_length(t.result), 0) AS bytes';
    const source = { selected, from: 'commands t', where, parameters };
    const { rows, total } = await pageOfRows<{ id: string; bytes: number }>(this.dataSource, source, query);
    const shown = withinPage(rows.slice(0, query.limit));
    const ids = shown.map((row) => row.id);
    const select = { ...outlineColumns, result: true } as const;
    const commands = inOrder(ids, await this.dataSource.manager.find(Command, { where: { id: In(ids) }, select }));
    const hasMore = rows.length > shown.length;
    // All were deleted between the two statements. Clients continue after the last item of a page, so it needs one.
    if (commands.length === 0 && hasMore) return this.page(caller, query);
    return listEnvelope(commands.map(commandRecord), query, total, hasMore);
  }

  async get(caller: CommandOwner, reference: string): Promise<CommandRecord> {
    return commandRecord(await this.find(caller, reference));
  }

  /** A command of the caller. Throws CommandNotFound, also when its device has left the caller's device groups. */
  async find(caller: CommandOwner, reference: string): Promise<Command> {
    const command = await this.newest(caller, reference);
    if (!command || !this.isSeenBy(caller, command)) throw new CommandNotFound();
    return command;
  }

  /** The command that the caller cancels: the newest that waits, or else the newest. Throws as `find` does. */
  async findToCancel(caller: CommandOwner, reference: string): Promise<Command> {
    const waiting = await this.newest(caller, reference, 'waiting');
    return waiting && this.isSeenBy(caller, waiting) ? waiting : this.find(caller, reference);
  }

  /** The command with this id, or the newest with this async-id. */
  private newest({ keyId }: CommandOwner, reference: string, state?: CommandState): Promise<Command | null> {
    const which = { keyId, ...(state && { state }) };
    const where = [
      { ...which, id: reference },
      { ...which, asyncId: reference },
    ];
    return this.dataSource.manager.findOne(Command, { where, order: { position: 'DESC' } });
  }

  private isSeenBy({ deviceGroups }: CommandOwner, { deviceId }: Command): boolean {
    return isInScope(deviceGroups, this.groups.get(deviceId));
  }
}
