import type { DeviceBootstrapChanged } from '@lanyard/contracts';
import { contentFormat } from '@lanyard/lwm2m';
import { type Clock, CLOCK, type Logger, LOGGER, Metrics, newId } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { Sessions } from '../sessions/sessions.js';
import { DeviceLinks } from '../transport/device-links.js';
import { RetryLater } from '../transport/retry-later.js';
import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';
import { isPackFormat, isWritable } from './account-instances.js';
import { type AdmittedBootstrap, BootstrapAdmission } from './bootstrap-admission.js';
import { type Account, packOf, writeAccount } from './bootstrap-exchange.js';
import { BootstrapFacts, type BootstrapKey } from './bootstrap-facts.js';
import { failureOf } from './failure.js';
import { announceAgainMs } from './limits.js';
import { ProvisionalCredentials } from './provisional-credentials.js';
import { RawPublicKeys } from './raw-public-keys.js';
import { RunningBootstraps } from './running-bootstraps.js';

type Interface = NonNullable<DeviceBootstrapChanged['interface']>;

/** A bootstrap whose credential the registry has stored. `reply` resolves when the answer has been sent to the device. */
interface Begun {
  key: BootstrapKey;
  account: Account;
  signal: AbortSignal;
  reply: (reply: UplinkReply) => Promise<void>;
}

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

/**
 * The bootstrap server (LwM2M 1.2 core §6.1; docs/adr/0025). A device gets its answer only after the registry has stored its
 * credential; the result that is announced afterwards decides whether that credential stays.
 */
@Injectable()
export class Bootstraps {
  private readonly total;

  constructor(
    private readonly admission: BootstrapAdmission,
    private readonly running: RunningBootstraps,
    private readonly facts: BootstrapFacts,
    private readonly credentials: ProvisionalCredentials,
    private readonly publicKeys: RawPublicKeys,
    private readonly links: DeviceLinks,
    private readonly sessions: Sessions,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.total = metrics.counter({
      name: 'lanyard_device_proxy_bootstraps_total',
      help: 'Bootstraps that ended at this replica, and Bootstrap-Packs that it sent',
      labelNames: ['outcome'],
    });
  }

  /** `POST /bs`: 2.04, and then the exchange that the server leads. */
  async answerRequest(request: UplinkRequest): Promise<UplinkReply> {
    const admitted = await this.admission.admit(request);
    if ('refusal' in admitted) return admitted.refusal;
    const format = admitted.preferredFormat ?? contentFormat.tlv;
    if (!isWritable(format)) return { code: '4.15', diagnostic: `Content-Format ${format} is not supported` };
    const { address } = request;
    return this.begin({ how: 'bs', address, format }, admitted, async ({ key, account, signal, reply }) => {
      await reply({ code: '2.04' });
      this.silence(key);
      await writeAccount((one) => this.links.to(address).request(address, one, signal), account);
      await this.announceSuccess(key, signal);
    });
  }

  /**
   * `GET /bspack`: the same account in one answer. A pack with a credential is confirmed by the registration that uses it,
   * because the device sends nothing else.
   */
  async answerPack(request: UplinkRequest): Promise<UplinkReply> {
    const admitted = await this.admission.admit(request);
    if ('refusal' in admitted) return admitted.refusal;
    const format = request.accept ?? contentFormat.senmlCbor;
    if (!isPackFormat(format)) return { code: '4.06', diagnostic: `Content-Format ${format} is not supported` };
    const { address } = request;
    return this.begin({ how: 'bspack', address, format }, admitted, async ({ key, account, signal, reply }) => {
      await reply({ code: '2.05', payload: packOf(account), contentFormat: format });
      if (!account.credential) await this.announceSuccess(key, signal);
      else this.total.inc({ outcome: 'pack-sent' });
    });
  }

  /**
   * Resolves with the answer that `work` gives to the device; `work` may continue after that. Rejects with RetryLater
   * if the bootstrap is aborted before the answer, or with the error that prevented the answer.
   */
  private begin(
    { how, address, format }: { how: Interface; address: UplinkRequest['address']; format: number },
    { deviceId, accountId, profile, bootstrapAccount }: AdmittedBootstrap,
    work: (begun: Begun) => Promise<void>,
  ): Promise<UplinkReply> {
    const key = { bootstrapId: newId(this.clock.now()), deviceId, accountId };
    return new Promise<UplinkReply>((resolve, reject) => {
      this.running.run(key, async (signal) => {
        let started = false;
        const reply = (answer: UplinkReply): Promise<void> => {
          const sent = new Promise<void>((onSent) => resolve({ ...answer, onSent }));
          return Promise.race([sent, whenAborted(signal)]);
        };
        try {
          const { securityMode } = profile;
          const pair = securityMode === 'raw_public_key' ? this.publicKeys.newPair() : undefined;
          const publicKey = pair?.publicKeyOrIdentity;
          await this.facts.announceStart(key, { interface: how, address, profile, publicKey });
          started = true;
          const credential = securityMode === 'none' ? undefined : await this.credentials.wait(key.bootstrapId, pair);
          signal.throwIfAborted();
          await work({ key, account: { profile, credential, format, bootstrapAccount }, signal, reply });
        } catch (error) {
          // Has no effect after the device has got its answer.
          reject(signal.aborted ? new RetryLater('the bootstrap was aborted') : error);
          if (started) await this.announceFailure(key, error, signal);
        }
      });
    });
  }

  /** Commands wait until the device sends a message after the bootstrap, because it does not answer them before. */
  private silence({ deviceId }: BootstrapKey): void {
    const session = this.sessions.get(deviceId);
    if (session) session.silent = true;
  }

  /** Retries until Kafka has the fact: the device has accepted the account. If that takes too long, its registration confirms it. */
  private async announceSuccess(key: BootstrapKey, signal: AbortSignal): Promise<void> {
    this.total.inc({ outcome: 'bootstrapped' });
    this.logger.info({ ...key }, 'device bootstrapped');
    for (;;) {
      try {
        return await this.facts.announceSuccess(key);
      } catch (error) {
        this.logger.warn({ err: error, ...key }, 'bootstrap not announced');
        if (signal.aborted) return;
        await this.clock.sleep(announceAgainMs, signal);
      }
    }
  }

  /** If Kafka does not store the failure, the registry finds out by itself: a bootstrap that does not end has failed. */
  private async announceFailure(key: BootstrapKey, error: unknown, signal: AbortSignal): Promise<void> {
    const { failure, detail } = failureOf(error, signal);
    this.total.inc({ outcome: failure });
    this.logger.warn({ ...key, failure, detail }, 'device not bootstrapped');
    await this.facts.announceFailure(key, failure, detail);
  }
}
