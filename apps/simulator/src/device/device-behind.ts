import { Code, type NotifyOutcome, type OutgoingNotification, type OutgoingRequest } from '@lanyard/coap';
import { addPrefix, namesPaths } from '@lanyard/lwm2m';
import { type FirmwareView } from '../firmware/states.js';
import { ObjectStore } from '../objects/object-store.js';
import { type Thing } from '../objects/resource.js';
import { type ObservationId, type ObserveRequest } from '../observation/watch.js';
import { type RequestTarget } from '../operations/request-target.js';
import { type Reporting, Reports, type ReportTransport } from './reports.js';
import { Sender } from './sender.js';
import { type Group } from './simulation-context.js';

/** The part of the gateway that a device behind it needs. */
export interface Host extends Reporting {
  readonly lifetimeSeconds: number;
  random(): number;
  changed(paths: readonly string[]): void;
}

/** Sends over the connection of the gateway, with the prefix in everything that names paths. */
class PrefixedTransport implements ReportTransport {
  constructor(
    private readonly host: Host,
    private readonly prefix: string,
  ) {}

  get isOpen(): boolean {
    return this.host.transport.isOpen;
  }

  request(request: OutgoingRequest): ReturnType<ReportTransport['request']> {
    return this.host.transport.request(this.prefixed(request));
  }

  notify(notification: OutgoingNotification): Promise<NotifyOutcome> {
    return this.host.transport.notify(this.prefixed(notification));
  }

  private prefixed<T extends { payload?: Buffer; contentFormat?: number | undefined }>(message: T): T {
    const { contentFormat, payload } = message;
    if (contentFormat === undefined || !payload || !namesPaths(contentFormat)) return message;
    return { ...message, payload: addPrefix(contentFormat, payload, this.prefix) };
  }
}

/** A device that servers reach through its gateway. */
export class DeviceBehind implements RequestTarget, Reporting, Thing {
  readonly name: string;
  readonly prefix: string;
  readonly store: ObjectStore;
  readonly transport: ReportTransport;
  readonly reports = new Reports(this);
  readonly sender = new Sender(this);

  constructor(
    readonly number: number,
    private readonly host: Host,
  ) {
    this.name = `${host.name}-${number}`;
    this.prefix = `d${number}`;
    this.store = new ObjectStore(host.group.catalogueBehind, this);
    this.transport = new PrefixedTransport(host, this.prefix);
  }

  get group(): Group {
    return this.host.group;
  }

  get lifetimeSeconds(): number {
    return this.host.lifetimeSeconds;
  }

  get firmware(): FirmwareView {
    return this.group.firmware;
  }

  random(): number {
    return this.host.random();
  }

  nowMs(): number {
    return this.host.nowMs();
  }

  unacknowledged(error?: unknown): void {
    this.host.unacknowledged(error);
  }

  watch(request: ObserveRequest): void {
    this.reports.watch(request);
  }

  unwatch(request: ObservationId): void {
    this.reports.unwatch(request);
  }

  execute(path: string, args: string): number {
    this.group.tally.count('executed');
    this.group.context.executions.countExecution(this.name, path, args);
    return Code.Changed;
  }

  accept(): undefined {
    return undefined;
  }

  changed(paths: readonly string[]): void {
    this.reports.changed(paths);
  }

  attributesChanged(path: string): void {
    this.reports.attributesChanged(path);
  }

  /** The objects of the device are listed in object 25, which the server observes. */
  instancesChanged(): void {
    this.host.changed([`/25/${this.number}/3`]);
  }
}
