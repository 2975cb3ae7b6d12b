import {
  AccountModels,
  contentFormat as formats,
  Malformed,
  namesPaths,
  removeRoot,
  splitByPrefix,
  UnsupportedFormat,
} from '@lanyard/lwm2m';
import { type Clock, CLOCK, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { readSend, type SentValue } from '../downlink/formats.js';
import { withoutExcerpts } from '../events/without-excerpts.js';
import { Lwm2mGateways } from '../lwm2m-gateways/lwm2m-gateways.js';
import { Values } from '../observations/values.js';
import { LastSeen } from '../sessions/last-seen.js';
import { mayBeGateway } from '../sessions/registered-links.js';
import type { Session } from '../sessions/session.js';
import { Sessions } from '../sessions/sessions.js';
import { viaAddress } from '../transport/peer-address.js';
import { RetryLater } from '../transport/retry-later.js';
import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';
import { PostResponseTasks } from './post-response-tasks.js';
import { Reconnection } from './reconnection.js';

/** The values of one device in a Send. */
interface Part {
  session: Session;
  values: SentValue[];
}

class UnknownPrefix extends Error {}

/**
 * `POST /dp`: values that the device sends unasked (LwM2M 1.1 core §6.4.6). The device is identified by its address; a
 * gateway also sends values of the devices behind it, with their prefixes.
 */
@Injectable()
export class Send {
  constructor(
    private readonly sessions: Sessions,
    private readonly lastSeen: LastSeen,
    private readonly values: Values,
    private readonly models: AccountModels,
    private readonly gateways: Lwm2mGateways,
    private readonly reconnection: Reconnection,
    private readonly tasks: PostResponseTasks,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async answer(request: UplinkRequest): Promise<UplinkReply> {
    const followed = await this.reconnection.follow(request.sender, request.address);
    if (!followed) return this.record(request);
    const observeAgain = (): void => this.tasks.updated(followed);
    try {
      return { ...(await this.record(request)), onSent: observeAgain };
    } catch (error) {
      // When the device sends the values again, its session is already here.
      observeAgain();
      throw error;
    }
  }

  private record(request: UplinkRequest): Promise<UplinkReply> {
    const { address, sender } = request;
    const lookup = { by: 'address' as const, accountId: sender.accountId, address };
    return this.sessions.withSession<UplinkReply>(lookup, address, (session) =>
      session ? this.recordValues(session, request) : Promise.resolve({ code: '4.04' }),
    );
  }

  private async recordValues(session: Session, request: UplinkRequest): Promise<UplinkReply> {
    let parts: Part[];
    try {
      parts = this.partsOf(session, request);
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error;
      const { message: diagnostic } = error as Error;
      const why = withoutExcerpts(diagnostic);
      this.logger.info({ deviceId: session.deviceId, code, why }, 'Send of a device refused');
      return { code, diagnostic };
    }
    this.lastSeen.recordMessage(session);
    const recordPart = ({ session: from, values }: Part): Promise<void> =>
      this.values.reportRecords(from, values, (path) => ({ cause: 'send', audience: from.subscribers(path) }));
    await Promise.all(parts.map(recordPart));
    return { code: '2.04' };
  }

  /** Reads all values before any is recorded. Values of devices that are not served are dropped, as in a Send of their own. */
  private partsOf(session: Session, { contentFormat, payload: sent }: UplinkRequest): Part[] {
    const format = contentFormat ?? formats.senmlJson;
    const payload = removeRoot(format, sent, session.data.rootPath);
    if (!mayBeGateway(session.data.links) || !namesPaths(format))
      return [{ session, values: this.read(session, format, payload) }];
    return [...splitByPrefix(format, payload)].flatMap(([prefix, part]) => {
      const from = prefix === '' ? session : this.behind(session, prefix);
      return from ? [{ session: from, values: this.read(from, format, part) }] : [];
    });
  }

  private behind(gateway: Session, prefix: string): Session | undefined {
    const session = this.sessions.atAddress(gateway.accountId, viaAddress(gateway.deviceId, prefix));
    if (session) return session;
    const status = this.gateways.statusOf(gateway, prefix);
    if (status === 'none')
      throw new UnknownPrefix(`object 25 lists no device with the prefix "${prefix.slice(0, 40)}"`);
    if (status !== 'refused') throw new RetryLater('a device behind the gateway has no session yet');
    this.logger.info(
      { deviceId: gateway.deviceId, prefix },
      'values of a device behind a gateway dropped: it is not served',
    );
    return undefined;
  }

  private read({ accountId, data }: Session, format: number, payload: Buffer): SentValue[] {
    return readSend(format, payload, this.models.registryOf(accountId, data.objectVersions), this.clock.now());
  }
}

const codeOf = (error: unknown): string | undefined => {
  if (error instanceof UnknownPrefix) return '4.04';
  if (error instanceof Malformed) return '4.00';
  return error instanceof UnsupportedFormat ? '4.15' : undefined;
};
