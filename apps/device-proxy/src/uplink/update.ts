import { isDeepStrictEqual } from 'node:util';
import { type Clock, CLOCK, CONFIG, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { Observer } from '../observations/observer.js';
import type { RegistrationData, Session } from '../sessions/session.js';
import { SessionEnds } from '../sessions/session-ends.js';
import { SessionFacts } from '../sessions/session-facts.js';
import { Sessions } from '../sessions/sessions.js';
import type { ShownCredential } from '../transport/sender.js';
import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';
import { PostResponseTasks } from './post-response-tasks.js';
import { changeFor, leftOutMessage, type RegistrationChange, readUpdate } from './registration.js';

/** Requests of a registered device, which may come from a new address. */
@Injectable()
export class Update {
  constructor(
    private readonly sessions: Sessions,
    private readonly ends: SessionEnds,
    private readonly facts: SessionFacts,
    private readonly observer: Observer,
    private readonly tasks: PostResponseTasks,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<DeviceProxyConfig, 'expiryGraceMs'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** `POST /rd/<id>` (LwM2M 1.1 core §6.2.2). A new address becomes the address of the device. */
  async answer(request: UplinkRequest, registrationId: string): Promise<UplinkReply> {
    const read = readUpdate(request);
    if ('refusal' in read) return read.refusal;
    const { leftOut } = read;
    if (leftOut) this.logger.info({ registrationId, leftOut }, leftOutMessage);
    return this.withRegistered(request, registrationId, (session) => this.apply(session, request, read.change));
  }

  /** `DELETE /rd/<id>` (LwM2M 1.1 core §6.2.3). Commands keep waiting: the device may register again. */
  deregister(request: UplinkRequest, registrationId: string): Promise<UplinkReply> {
    return this.withRegistered(request, registrationId, async (session) =>
      (await this.ends.end(session, 'device')) ? { code: '2.02' } : undefined,
    );
  }

  /** `work` returns undefined when this replica has lost the session. */
  private async withRegistered(
    { sender, address }: UplinkRequest,
    registrationId: string,
    work: (session: Session) => Promise<UplinkReply | undefined>,
  ): Promise<UplinkReply> {
    const lookup = { by: 'registration' as const, registrationId };
    if (!(await this.sessions.belongsTo(lookup, sender))) return { code: '4.03' };
    const attempt = (): Promise<UplinkReply | undefined> =>
      this.sessions.withSession(lookup, address, (session) =>
        session ? work(session) : Promise.resolve<UplinkReply>({ code: '4.04' }),
      );
    // The first attempt drops a copy that another replica has taken over; the second one takes the session over again.
    return (await attempt()) ?? (await attempt()) ?? { code: '4.04' };
  }

  private async apply(
    session: Session,
    { address, sender: { credential } }: UplinkRequest,
    change: RegistrationChange,
  ): Promise<UplinkReply | undefined> {
    const { clock, config, facts, observer, sessions, tasks } = this;
    const previousAddress = session.address;
    const data = withCredential(changed(session.data, changeFor(session.data, change)), credential);
    const lastSeenAtMs = clock.now();
    const expiresAtMs = lastSeenAtMs + data.lifetimeSeconds * 1000 + config.expiryGraceMs;
    const isUnchanged = data === session.data && address === previousAddress && !session.isElsewhere;
    const isOwned = isUnchanged
      ? await sessions.renew(session, lastSeenAtMs, expiresAtMs)
      : await sessions.update(session, { address, data, lastSeenAtMs, expiresAtMs });
    if (!isOwned) return undefined;
    if (!isUnchanged) session.requireReconciliation();
    if (address !== previousAddress) await observer.moved(session, previousAddress);
    if (change.links) {
      await observer.listed(session);
      await observer.adoptAutomatic(session);
    }
    await facts.announceRegistration(session, 'updated');
    return { code: '2.04', onSent: () => tasks.updated(session) };
  }
}

/** Returns the same object when nothing changes: most updates only extend the lifetime. */
const changed = (data: RegistrationData, change: RegistrationChange): RegistrationData => {
  const names = Object.keys(change) as (keyof RegistrationChange)[];
  return names.every((name) => data[name] === change[name]) ? data : { ...data, ...change };
};

const withCredential = (data: RegistrationData, credential: ShownCredential | undefined): RegistrationData =>
  credential === undefined || isDeepStrictEqual(data.credential, credential) ? data : { ...data, credential };
