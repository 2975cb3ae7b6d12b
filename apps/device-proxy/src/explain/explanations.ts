import { type Clock, CLOCK, CONFIG, formatTimestamp, type Identity } from '@lanyard/service';
import { DataSource, In, LessThan } from 'typeorm';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { Command } from '../commands/command.entity.js';
import { CommandHistory, type CommandRecord, commandRecord, outlineColumns } from '../commands/history.js';
import { SessionStore } from '../sessions/session-store.js';
import { Sessions } from '../sessions/sessions.js';

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
  /** Newest first. */
  commands: CommandRecord[];
  has_more: boolean;
  /** Unfinished commands. */
  waiting: number;
}

const active = ['waiting', 'executing'] as const;

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

  /** Commands accepted before a time, without their results. Empty if the account has no such device. */
  async device({ accountId }: Identity, deviceId: string, limit: number, before: Date): Promise<ExplainedDevice> {
    const { manager } = this.dataSource;
    const [commands, waiting, session] = await Promise.all([
      manager.find(Command, {
        select: outlineColumns,
        where: { accountId, deviceId, acceptedAt: LessThan(before) },
        order: { id: 'DESC' },
        take: limit + 1,
      }),
      manager.countBy(Command, { accountId, deviceId, state: In(active) }),
      this.session(accountId, deviceId),
    ]);
    const shown = commands.slice(0, limit).map(commandRecord);
    return { session, commands: shown, has_more: commands.length > limit, waiting };
  }

  private async session(accountId: string, deviceId: string): Promise<SessionView | null> {
    const session = await this.sessions.read(deviceId);
    if (!session || session.accountId !== accountId) return null;
    const { data, expiresAtMs, observations } = session;
    // The last-seen time reaches Redis a second late; with the time from there alone, a device that is awake could be shown as asleep.
    const lastSeenAtMs = Math.max(session.lastSeenAtMs, this.owned.get(deviceId)?.lastSeenAtMs ?? 0);
    return {
      registered_at: formatTimestamp(data.registeredAtMs),
      last_heard_at: formatTimestamp(lastSeenAtMs),
      expires_at: formatTimestamp(expiresAtMs),
      queue_mode: data.queueMode,
      // The absolute difference, as in `Sessions.isListening`.
      asleep: data.queueMode && Math.abs(this.clock.now() - lastSeenAtMs) >= this.config.awakeMs,
      observed: [...new Set(observations.flatMap(({ path, together }) => together?.paths ?? [path]))],
    };
  }
}
