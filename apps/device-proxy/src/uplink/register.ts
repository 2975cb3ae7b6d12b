import { type Clock, CLOCK, CONFIG, type Logger, LOGGER, newId } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { ProvisionalCredentials } from '../bootstrap/provisional-credentials.js';
import type { DeviceProxyConfig } from '../config.js';
import { Admission, type Admitted } from '../intake/admission.js';
import { SessionFacts } from '../sessions/session-facts.js';
import { Sessions } from '../sessions/sessions.js';
import { SubscriptionReconciler } from '../subscriptions/subscription-reconciler.js';
import { viaOf } from '../transport/peer-address.js';
import type { Sender } from '../transport/sender.js';
import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';
import { PostResponseTasks } from './post-response-tasks.js';
import { leftOutMessage, type Registration, readRegistration } from './registration.js';

const isNamed = ({ query }: UplinkRequest): boolean => query.some((part) => part.startsWith('ep='));

/**
 * `POST /rd` (LwM2M 1.1 core §6.2.1). The device gets its 2.01 when the session is stored and the fact is with Kafka,
 * not before; no request is sent to it until the 2.01 has been sent.
 */
@Injectable()
export class Register {
  constructor(
    private readonly admission: Admission,
    private readonly provisional: ProvisionalCredentials,
    private readonly sessions: Sessions,
    private readonly facts: SessionFacts,
    private readonly reconciler: SubscriptionReconciler,
    private readonly tasks: PostResponseTasks,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<DeviceProxyConfig, 'expiryGraceMs'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async answer(request: UplinkRequest): Promise<UplinkReply> {
    const { admission, logger, sessions } = this;
    const { sender } = request;
    const read = readRegistration(request, isNamed(request) ? undefined : await admission.nameOf(sender));
    if ('refusal' in read) return read.refusal;
    const { registration, leftOut } = read;
    if (leftOut) logger.info({ endpointName: registration.endpointName, leftOut }, leftOutMessage);
    const admitted = await admission.admit(sender, registration.endpointName, registration.endpointType);
    if (!admitted) return { code: '4.03' };
    registration.endpointType ??= admitted.endpointType;
    await this.provisional.confirm(sender);
    return sessions.exclusive.run(admitted.deviceId, async () =>
      (await this.isBehindGateway(sender, admitted)) ? { code: '4.03' } : this.open(request, admitted, registration),
    );
  }

  /** Without security, anyone could take the device from its gateway; with a credential, the device may leave the gateway. */
  private async isBehindGateway({ credential }: Sender, { deviceId, hostGateway }: Admitted): Promise<boolean> {
    if (credential !== undefined || hostGateway === undefined) return false;
    const stored = await this.sessions.store.read(deviceId);
    if (!stored || !viaOf(stored.address)) return false;
    this.logger.warn({ deviceId, hostGateway }, 'registration refused: the device is behind a gateway');
    return true;
  }

  private async open(
    { address, sender: { accountId, credential } }: UplinkRequest,
    { deviceId, firstContact }: Admitted,
    registration: Registration,
  ): Promise<UplinkReply> {
    const { clock, config, reconciler, sessions } = this;
    const nowMs = clock.now();
    await reconciler.loseOnRegistration(deviceId);
    const session = await sessions.open({
      deviceId,
      registrationId: newId(nowMs),
      accountId,
      address,
      nowMs,
      expiresAtMs: nowMs + registration.lifetimeSeconds * 1000 + config.expiryGraceMs,
      // No other code holds the registration object, so it becomes the data without a copy.
      data: Object.assign(registration, { registeredAtMs: nowMs, firstContact, credential }),
    });
    try {
      await this.facts.announceRegistration(session, 'registered');
    } catch (error) {
      // An unannounced session must not stay: the device gets no answer and registers again.
      await sessions.withhold(session);
      throw error;
    }
    this.logger.debug({ deviceId, endpointName: session.data.endpointName, address: session.address }, 'registered');
    return { code: '2.01', location: ['rd', session.registrationId], onSent: () => this.tasks.registered(session) };
  }
}
