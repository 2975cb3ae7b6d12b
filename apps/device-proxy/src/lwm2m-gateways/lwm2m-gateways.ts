import {
  AccountModels,
  contentFormat,
  contentFormatOf,
  type DeviceBehind,
  decodeValues,
  devicesBehind,
  gatewayPath,
  Malformed,
  removeRoot,
  UnsupportedFormat,
} from '@lanyard/lwm2m';
import { KeyedMutex } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DownlinkClient } from '../downlink/downlink-client.js';
import type { NotServed } from '../intake/admission.js';
import { Observer } from '../observations/observer.js';
import { mayBeGateway } from '../sessions/registered-links.js';
import type { Session } from '../sessions/session.js';
import { LastSeen } from '../sessions/last-seen.js';
import { Sessions } from '../sessions/sessions.js';
import { DeviceDirectory } from '../state/device-directory.js';
import { viaOf } from '../transport/peer-address.js';
import { WorkingProvider } from '../working-provider.js';
import { DevicesBehind } from './devices-behind.js';
import { type DeviceList, type Known, knownOf, type PrefixStatus, unread } from './known-devices.js';
import { admitRetryPauseMs, admittedAtOnce, directDeviceRetryPauseMs } from './limits.js';
import { problems, type RefusedDevice, RefusedDevices } from './refused-devices.js';

/** Reads and observes object 25 of gateways, and keeps a session for each device that it describes. */
@Injectable()
export class Lwm2mGateways extends WorkingProvider {
  private readonly known = new WeakMap<Session, Known>();
  /** Gateways whose object 25 is read at their next message. */
  private readonly due = new Set<Session>();
  /** Gateways whose list is applied again after `admitRetryPauseMs`. */
  private readonly reapplySoon = new Set<Session>();
  /** Gateways whose list is applied again after `directDeviceRetryPauseMs`. */
  private readonly reapplyLater = new Set<Session>();
  private readonly mutex = new KeyedMutex();

  constructor(
    private readonly sessions: Sessions,
    private readonly devices: DevicesBehind,
    private readonly downlink: DownlinkClient,
    private readonly observer: Observer,
    private readonly models: AccountModels,
    private readonly refused: RefusedDevices,
    private readonly directory: DeviceDirectory,
    lastSeen: LastSeen,
  ) {
    super('gateways');
    directory.onAdmissible((gatewayId) => this.applyAgain(sessions.get(gatewayId)));
    lastSeen.onMessage((session) => {
      if (this.due.size > 0 && session.isRegistrationAnswered && this.due.delete(session))
        this.run(session, () => this.read(session));
    });
    sessions.listen({
      // The list may have changed while no replica was listening.
      began: (session, how) => {
        if (how !== 'registered' && mayBeGateway(session.data.links)) this.due.add(session);
      },
      ended: (session) => this.sessionEnded(session),
      closed: (session) => this.sessionClosed(session),
    });
  }

  /** Called when the device has registered or updated its registration: reads or applies its list again if needed. */
  refreshList(session: Session): void {
    const { data } = session;
    const { data: before, isObserved = false } = this.known.get(session) ?? unread;
    // The observation was lost, for example because it ended with its connection.
    const isLost = isObserved && !session.observations.has(gatewayPath);
    if (before === data && !isLost) return;
    if (!mayBeGateway(data.links)) {
      if (this.sessions.mayHaveBehind(session)) this.apply(session, { devices: [], unusable: [] });
    } else if (before && before.links === data.links && session.observations.has(gatewayPath)) this.applyAgain(session);
    else this.run(session, () => this.read(session));
  }

  /** Applies the list that the gateway has reported, its object 25. */
  applyReportedList(session: Session, { payload, contentFormat: format = contentFormat.tlv }: List): void {
    if (session.gateway) return;
    try {
      const models = this.models.registryOf(session.accountId, session.data.objectVersions);
      const list = removeRoot(format, payload, session.data.rootPath);
      this.apply(session, devicesBehind(decodeValues(format, list, gatewayPath, models)));
    } catch (error) {
      if (!(error instanceof Malformed || error instanceof UnsupportedFormat)) throw error;
      this.refuseList(session, error.message);
    }
  }

  /** Undefined while the list is not known; `none` for a prefix that is not in it. */
  statusOf(session: Session, prefix: string): PrefixStatus | 'none' | undefined {
    const { devices, statuses } = this.known.get(session) ?? unread;
    return devices && (statuses.get(prefix) ?? 'none');
  }

  /** Observes the list, or reads it if it is observed already. A failure is retried at the next message. */
  private async read(session: Session): Promise<void> {
    if (session.isOver) return;
    try {
      const reply = session.observations.has(gatewayPath)
        ? await this.downlink.read(session, gatewayPath)
        : (await this.observer.observe(session, { path: gatewayPath })).reply;
      const isObserved = session.observations.has(gatewayPath);
      this.known.set(session, { ...(this.known.get(session) ?? unread), data: session.data, isObserved });
      if (reply.code === '2.05')
        this.applyReportedList(session, { payload: reply.payload, contentFormat: contentFormatOf(reply.contentType) });
      else if (reply.code === '4.04') this.apply(session, { devices: [], unusable: [] });
      else {
        this.refuseList(session, `the gateway said ${reply.code}`);
        if (reply.code.startsWith('5.')) this.work.later(admitRetryPauseMs, () => this.readAtNextMessage(session));
      }
    } catch (err) {
      if (session.isOver) return;
      this.logger.info(
        { err, deviceId: session.deviceId },
        'object 25 of a gateway not read: again at its next message',
      );
      this.readAtNextMessage(session);
    }
  }

  private readAtNextMessage(session: Session): void {
    if (!session.isOver) this.due.add(session);
  }

  /** Reports the failure to the event log once, until the list can be read again. */
  private refuseList(session: Session, why: string): void {
    const known = this.known.get(session) ?? unread;
    if (!known.isUnreadable)
      this.refused.report(session, [{ instance: 0, problem: `object 25 cannot be read: ${why}` }]);
    this.known.set(session, { ...known, isUnreadable: true });
  }

  private apply(session: Session, list: DeviceList): void {
    const known = knownOf(this.known.get(session) ?? unread, session.data, list);
    this.known.set(session, known);
    this.run(session, () => this.mutex.run(session.deviceId, () => this.serveAll(session, known.devices)));
  }

  private applyAgain(session: Session | undefined): void {
    const known = session && this.known.get(session);
    if (session && known?.devices) this.apply(session, { devices: known.devices, unusable: known.unusable });
  }

  private async serveAll(gateway: Session, listed: readonly DeviceBehind[]): Promise<void> {
    const { deviceId } = gateway;
    // A later list waits until this one is finished.
    const isCurrent = (): boolean => !gateway.isOver && this.known.get(gateway)?.devices === listed;
    if (!isCurrent()) return;
    const served = new Set<string>();
    const statuses = new Map<string, PrefixStatus>();
    const refused: RefusedDevice[] = [];
    const remaining = [...listed];
    const serveNext = async (): Promise<void> => {
      for (let device = remaining.shift(); device && isCurrent(); device = remaining.shift()) {
        const { instance, deviceId: name, prefix } = device;
        const result = await this.serveOne(gateway, device);
        // Another replica may be the one that learns when the device can be served.
        if (result === 'has-credential' || result === 'registered-itself')
          this.applyOnce(gateway, this.reapplyLater, directDeviceRetryPauseMs);
        statuses.set(prefix, result === 'pending' ? result : typeof result === 'string' ? 'refused' : 'served');
        if (typeof result !== 'string') served.add(result.deviceId);
        else if (result !== 'pending') refused.push({ instance, deviceId: name, prefix, problem: problems[result] });
      }
    };
    await Promise.all(Array.from({ length: admittedAtOnce }, serveNext));
    if (!isCurrent()) return;
    const known = this.known.get(gateway)!;
    const isPending = [...statuses.values()].includes('pending');
    const reported = this.refused.reportNew(gateway, [...known.unusable, ...refused], known.reported);
    this.known.set(gateway, { ...known, statuses, reported });
    if (isPending) this.applyOnce(gateway, this.reapplySoon, admitRetryPauseMs);
    for (const behind of await this.sessions.store.behind(deviceId))
      if (!served.has(behind) && !(isPending && this.sessions.get(behind)))
        await this.devices.endSession(behind, deviceId);
  }

  private async serveOne(
    gateway: Session,
    device: DeviceBehind,
  ): Promise<{ deviceId: string } | NotServed | 'pending'> {
    try {
      return await this.devices.serve(gateway, device);
    } catch (err) {
      this.logger.info(
        { err, deviceId: gateway.deviceId, name: device.deviceId },
        'device behind a gateway not served yet',
      );
      return 'pending';
    }
  }

  /** Called when a session has ended here. Unless the device was deleted, its gateway's list is applied again. */
  private sessionEnded(session: Session): void {
    this.due.delete(session);
    const entry = this.directory.get(session.deviceId);
    const gateway = session.gateway ?? this.sessions.get(entry?.hostGateway ?? '');
    if (gateway && entry) this.applyOnce(gateway, this.reapplySoon, admitRetryPauseMs);
  }

  /** Applies the list again after the delay: once, however often this is called before. */
  private applyOnce(gateway: Session, waiting: Set<Session>, delayMs: number): void {
    if (waiting.has(gateway)) return;
    waiting.add(gateway);
    this.work.later(delayMs, () => {
      waiting.delete(gateway);
      if (!gateway.isOver) this.applyAgain(gateway);
    });
  }

  /**
   * Called when a session has ended everywhere. The prefix of a device behind a gateway is refused from now on; the
   * sessions of devices behind a gateway end together with that of the gateway.
   */
  private async sessionClosed(session: Session): Promise<void> {
    const known = session.gateway && this.known.get(session.gateway);
    const prefix = viaOf(session.address)?.prefix;
    if (session.gateway && prefix !== undefined && known?.statuses.has(prefix))
      this.known.set(session.gateway, { ...known, statuses: new Map([...known.statuses, [prefix, 'refused']]) });
    if (!mayBeGateway(session.data.links)) return;
    const { deviceId } = session;
    const all = await this.sessions.store.behind(deviceId);
    await Promise.all(all.map((behind) => this.devices.endSession(behind, deviceId)));
  }

  private run(session: Session, work: () => Promise<void>): void {
    this.work.run(work, (err) => {
      this.logger.error({ err, deviceId: session.deviceId }, 'devices behind a gateway not served: will be retried');
      this.applyOnce(session, this.reapplySoon, admitRetryPauseMs);
    });
  }
}

interface List {
  payload: Buffer;
  contentFormat?: number | undefined;
}
