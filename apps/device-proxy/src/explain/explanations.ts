import { type Clock, CLOCK, CONFIG, formatTimestamp, type Identity, inOrder } from '@lanyard/service';
import { DataSource, In, LessThan } from 'typeorm';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { Command } from '../commands/command.entity.js';
import { CommandHistory, type CommandRecord, commandRecord, outlineColumns } from '../commands/history.js';
import { queueLengthMax } from '../commands/limits.js';
import { SessionStore } from '../sessions/session-store.js';
import { Sessions } from '../sessions/sessions.js';
import type { StoredSession } from '../sessions/session.js';
import { viaOf } from '../transport/peer-address.js';

/** The current registration of a device. */
export interface SessionView {
  registered_at: string;
  last_heard_at: string;
  expires_at: string;
  queue_mode: boolean;
  /** A queue-mode device that has been silent for so long that it is asleep. */
  asleep: boolean;
  observed: string[];
}

export interface ExplainedCommand {
  command: CommandRecord;
  /** Commands of the device ahead of it in the queue. */
  ahead: number;
  session: SessionView | null;
}

export interface ExplainedDevice {
  session: SessionView | null;
  /** In the order of their newest entries before the time, the newest first. */
  commands: CommandRecord[];
  has_more: boolean;
  /** Unfinished commands. */
  waiting: number;
}

const active = ['waiting', 'executing'] as const;

/**
 * The commands with the newest entries before a time: when a command was accepted, last sent, and ended. One that ended
 * just now may have waited while many others were accepted. At most `queueLengthMax` wait, and they are sent in order,
 * so commands further back have no newer entries.
 */
const newestSql = `
  SELECT id FROM (
    SELECT id, accepted_at, attempted_at, finished_at FROM commands
    WHERE account_id = $1 AND device_id = $2 AND accepted_at < $3 ORDER BY id DESC LIMIT $4) c
  ORDER BY GREATEST(accepted_at, CASE WHEN attempted_at < $3 THEN attempted_at END,
    CASE WHEN finished_at < $3 THEN finished_at END) DESC, id DESC LIMIT $5`;

/** This service's part of explanations; the gateway merges them with those of other services. */
@Injectable()
export class Explanations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: SessionStore,
    private readonly owned: Sessions,
    private readonly history: CommandHistory,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: DeviceProxyConfig,
  ) {}

  /** Only for commands of the caller's own key. Throws CommandNotFound. */
  async command(caller: Identity, asyncId: string): Promise<ExplainedCommand> {
    const { manager } = this.dataSource;
    const command = await this.history.find(caller, asyncId);
    const { deviceId, position } = command;
    const [ahead, session] = await Promise.all([
      manager.countBy(Command, { deviceId, state: In(active), position: LessThan(position) }),
      this.session(command.accountId, deviceId),
    ]);
    return { command: commandRecord(command), ahead, session };
  }

  /** With the commands that have the newest entries before a time. Empty if the account has no such device. */
  async device({ accountId }: Identity, deviceId: string, limit: number, before: string): Promise<ExplainedDevice> {
    const { manager } = this.dataSource;
    const looked = limit + 1 + queueLengthMax;
    const [rows, waiting, session] = await Promise.all([
      this.dataSource.query<{ id: string }[]>(newestSql, [accountId, deviceId, before, looked, limit + 1]),
      manager.countBy(Command, { accountId, deviceId, state: In(active) }),
      this.session(accountId, deviceId),
    ]);
    const ids = rows.slice(0, limit).map(({ id }) => id);
    const commands = inOrder(ids, await manager.find(Command, { where: { id: In(ids) }, select: outlineColumns }));
    return { session, commands: commands.map(commandRecord), has_more: rows.length > limit, waiting };
  }

  private async session(accountId: string, deviceId: string): Promise<SessionView | null> {
    const session = await this.sessions.read(deviceId);
    if (!session || session.accountId !== accountId) return null;
    const { address, data, expiresAtMs, observations } = session;
    const lastSeenAtMs = this.lastSeenOf(session);
    const via = viaOf(address);
    // As in `Sessions.isListening`: a device behind a gateway listens while the gateway does.
    const gateway = via && (await this.sessions.read(via.gatewayId));
    const heardAtMs = gateway ? this.lastSeenOf(gateway) : lastSeenAtMs;
    return {
      registered_at: formatTimestamp(data.registeredAtMs),
      last_heard_at: formatTimestamp(lastSeenAtMs),
      expires_at: formatTimestamp(expiresAtMs),
      queue_mode: data.queueMode,
      // The absolute difference, as there.
      asleep: data.queueMode && Math.abs(this.clock.now() - heardAtMs) >= this.config.awakeMs,
      observed: [...new Set(observations.flatMap(({ path, together }) => together?.paths ?? [path]))],
    };
  }

  /** The last-seen time reaches Redis a second late; with the time from there alone, a device that is awake could be shown as asleep. */
  private lastSeenOf({ deviceId, lastSeenAtMs }: Pick<StoredSession, 'deviceId' | 'lastSeenAtMs'>): number {
    return Math.max(lastSeenAtMs, this.owned.get(deviceId)?.lastSeenAtMs ?? 0);
  }
}
