import { isInScope } from '@lanyard/contracts';
import { type Identity, KeyedMutex } from '@lanyard/service';
import { z } from 'zod';
import { Injectable } from '@nestjs/common';
import { Commands } from '../commands/commands.js';
import { NotRegistered } from '../errors.js';
import { SessionStore } from '../sessions/session-store.js';
import type { RegisteredLink, StoredSession } from '../sessions/session.js';
import { DeviceGroupsReader } from '../state/device-groups.reader.js';

/** Devices in a list, which is not paginated. */
export const endpointsMax = 200;

/** Lists of one account that may wait for their turn. */
const listsWaitingMax = 200;

export const EndpointEntrySchema = z
  .object({
    name: z.string().describe('Device id'),
    type: z.string().optional(),
    status: z.literal('ACTIVE'),
    q: z.boolean().describe('Queue mode'),
  })
  .meta({ id: 'Endpoint' });
export type EndpointEntry = z.infer<typeof EndpointEntrySchema>;

export const EndpointResourceSchema = z
  .object({
    uri: z.string(),
    rt: z.string().optional(),
    type: z.string().optional().describe('Media type'),
    obs: z.boolean().describe('Whether the resource can be observed'),
  })
  .meta({ id: 'EndpointResource' });
export type EndpointResource = z.infer<typeof EndpointResourceSchema>;

const entryOf = ({ deviceId, data }: StoredSession): EndpointEntry => ({
  name: deviceId,
  ...(data.endpointType !== undefined && { type: data.endpointType }),
  status: 'ACTIVE',
  q: data.queueMode,
});

const resourceOf = ({ path, rt, ct, obs }: RegisteredLink): EndpointResource => ({
  uri: path,
  ...(rt !== undefined && { rt }),
  ...(ct !== undefined && { type: ct }),
  obs,
});

/** Registered devices in the form of the older API. */
@Injectable()
export class Endpoints {
  /** A list by type may read every session of the account, so only one list per account is made at a time. */
  private readonly mutex = new KeyedMutex();

  constructor(
    private readonly sessions: SessionStore,
    private readonly commands: Commands,
    private readonly groups: DeviceGroupsReader,
  ) {}

  /** Devices of an account with a session, at most 200. Throws RateLimited. */
  list(caller: Identity, type: string | undefined): Promise<EndpointEntry[]> {
    return this.mutex.run(caller.accountId, () => this.find(caller, type), listsWaitingMax);
  }

  private async find({ accountId, deviceGroups }: Identity, type: string | undefined): Promise<EndpointEntry[]> {
    const entries: EndpointEntry[] = [];
    for await (const session of this.registered(accountId)) {
      if (type !== undefined && session.data.endpointType !== type) continue;
      if (!isInScope(deviceGroups, this.groups.get(session.deviceId))) continue;
      entries.push(entryOf(session));
      if (entries.length === endpointsMax) break;
    }
    return entries;
  }

  async resources(identity: Identity, deviceId: string): Promise<EndpointResource[]> {
    const { session } = await this.commands.device(identity, deviceId);
    if (!session) throw new NotRegistered();
    return session.data.links.map(resourceOf);
  }

  private async *registered(accountId: string): AsyncGenerator<StoredSession> {
    for await (const page of this.sessions.ofAccount(accountId))
      for (const session of await Promise.all(page.map((deviceId) => this.sessions.read(deviceId))))
        if (session) yield session;
  }
}
