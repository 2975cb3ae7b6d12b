import { CONFIG, type Logger, LOGGER, openTicket } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { DownlinkClient, type OnSent } from '../downlink/downlink-client.js';
import { operationOf } from '../downlink/operation.js';
import type { Session } from '../sessions/session.js';
import type { Command } from './command.entity.js';
import { downloadEnded, type Outcome, outcomeOf } from './outcome.js';
import { Pushes } from './pushes.js';

/** Commands with a ticket: the package is pushed, or the device gets the URI from which to pull it. */
@Injectable()
export class PackageOffers {
  constructor(
    private readonly pushes: Pushes,
    private readonly downlink: DownlinkClient,
    @Inject(CONFIG) private readonly config: { secrets: Pick<DeviceProxyConfig['secrets'], 'encryptionKey'> },
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async offer(session: Session, command: Command, sealedTicket: string, onSent?: OnSent): Promise<Outcome> {
    const ticket = this.open(command, sealedTicket);
    if (ticket === undefined) return downloadEnded;
    if (command.payload === null) return this.pushes.push(session, command, ticket);
    const payload = Buffer.concat([command.payload, Buffer.from(ticket)]);
    return outcomeOf(
      await this.downlink.request(session, { ...command, operation: operationOf(command), payload }, onSent),
    );
  }

  private open({ id: commandId, deviceId }: Command, sealedTicket: string): string | undefined {
    try {
      return openTicket(this.config.secrets.encryptionKey, deviceId, sealedTicket);
    } catch (error) {
      this.logger.error({ err: error, commandId }, 'ticket not readable: was it sealed with another ENCRYPTION_KEY?');
      return undefined;
    }
  }
}
