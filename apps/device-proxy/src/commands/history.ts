import {
  FairTurns,
  filtersToSql,
  formatTimestamp,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
} from '@lanyard/service';
import { commandKinds } from '@lanyard/contracts';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Injectable } from '@nestjs/common';
import { CommandNotFound } from '../errors.js';
import { Command } from './command.entity.js';
import { findCommand } from './find-command.js';

const commandStates = ['waiting', 'executing', 'succeeded', 'failed', 'expired', 'cancelled'] as const;

const nullable = z.string().nullable();

/** What was asked and how it ended. */
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
  payload: command.result && command.result.toString('base64'),
  content_type: command.resultType,
});

const columns = { async_id: 'async_id', device_id: 'device_id', state: 'state' };

export const historySpec = {
  filters: { async_id: 'text', device_id: 'text', state: 'text' },
  sets: { state: commandStates },
  defaultOrder: 'DESC',
} as const;

/** The commands of one key, newest first. */
@Injectable()
export class CommandHistory {
  constructor(private readonly dataSource: DataSource) {}

  list(keyId: string, query: ListQuery): Promise<ListEnvelope<CommandRecord>> {
    return FairTurns.at(this.dataSource).run(keyId, () => this.page(keyId, query));
  }

  private async page(keyId: string, query: ListQuery): Promise<ListEnvelope<CommandRecord>> {
    const parameters: unknown[] = [keyId];
    const conditions = ['key_id = $1', ...filtersToSql(query.filters, columns, parameters)];
    const totalCount = query.includeTotal ? await this.count(conditions, parameters) : undefined;
    if (query.after !== null)
      conditions.push(`id ${query.order === 'ASC' ? '>' : '<'} $${parameters.push(query.after)}`);
    const rows: { id: string }[] = await this.dataSource.query(
      `SELECT id FROM command WHERE ${conditions.join(' AND ')} ORDER BY id ${query.order} LIMIT ${query.limit + 1}`,
      parameters,
    );
    return listEnvelope(await this.load(rows.map((row) => row.id)), query, totalCount);
  }

  async get(keyId: string, reference: string): Promise<CommandRecord> {
    const command = await findCommand(this.dataSource.manager, keyId, reference);
    if (!command) throw new CommandNotFound();
    return commandRecord(command);
  }

  private async count(conditions: readonly string[], parameters: readonly unknown[]): Promise<number> {
    const sql = `SELECT count(*)::int AS count FROM command WHERE ${conditions.join(' AND ')}`;
    const [row]: { count: number }[] = await this.dataSource.query(sql, [...parameters]);
    return row?.count ?? 0;
  }

  private async load(ids: readonly string[]): Promise<CommandRecord[]> {
    const found = await this.dataSource.manager
      .createQueryBuilder(Command, 'command')
      .where('command.id = ANY(:ids)', { ids: [...ids] })
      .getMany();
    const byId = new Map(found.map((command) => [command.id, command]));
    return ids.flatMap((id) => {
      const command = byId.get(id);
      return command ? [commandRecord(command)] : [];
    });
  }
}
