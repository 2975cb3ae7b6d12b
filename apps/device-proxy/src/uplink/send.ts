import { AccountModels, Malformed, UnsupportedFormat } from '@lanyard/lwm2m';
import { type Clock, CLOCK, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { readSend, type SentValue } from '../downlink/formats.js';
import { Values } from '../observations/values.js';
import { LastSeen } from '../sessions/last-seen.js';
import type { Session } from '../sessions/session.js';
import { Sessions } from '../sessions/sessions.js';
import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';

/** `POST /dp`: values the device sends unasked (LwM2M 1.1 core §6.4.6). The device is known by its address. */
@Injectable()
export class Send {
  constructor(
    private readonly sessions: Sessions,
    private readonly lastSeen: LastSeen,
    private readonly values: Values,
    private readonly models: AccountModels,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async answer(request: UplinkRequest): Promise<UplinkReply> {
    const { address, sender } = request;
    const lookup = { by: 'address' as const, accountId: sender.accountId, address };
    return this.sessions.with(lookup, address, (session) =>
      session ? this.recordValues(session, request) : Promise.resolve({ code: '4.04' }),
    );
  }

  private async recordValues(session: Session, { contentFormat, payload }: UplinkRequest): Promise<UplinkReply> {
    let resources: SentValue[];
    try {
      const models = this.models.registryOf(session.accountId, session.data.objectVersions);
      resources = readSend(contentFormat, payload, models, this.clock.now());
    } catch (error) {
      const code = error instanceof Malformed ? '4.00' : error instanceof UnsupportedFormat ? '4.15' : undefined;
      if (code === undefined) throw error;
      const { message: diagnostic } = error as Error;
      this.logger.info({ deviceId: session.deviceId, code, why: diagnostic }, 'Send of a device refused');
      return { code, diagnostic };
    }
    this.lastSeen.recordMessage(session);
    await this.values.reportRecords(session, resources, (path) => ({
      cause: 'send',
      audience: session.subscribers(path),
    }));
    return { code: '2.04' };
  }
}
