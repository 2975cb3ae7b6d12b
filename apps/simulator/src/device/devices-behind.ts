import { Code, type CoapRequest, type CoapResponse, type Timer } from '@lanyard/coap';
import { addPrefix, Malformed, namesPaths, removePrefix, splitByPrefix } from '@lanyard/lwm2m';
import { linksOf } from '../objects/links.js';
import { type Resource } from '../objects/resource.js';
import { answer } from '../operations/answer.js';
import { DeviceBehind, type Host } from './device-behind.js';

/** The object that lists the devices: version 2.0 (LwM2M Gateway 1.1.1 §6). */
const gatewayObject = '/25';

/** The gateway in front of the devices. */
export interface Gateway extends Host {
  instancesChanged(): void;
}

/** The devices behind a gateway: how the gateway lists them, and their answers to requests that it passes on. */
export class DevicesBehind {
  private readonly devices: readonly DeviceBehind[];
  private timer: Timer | undefined;
  /** The device that has left, until it is back. */
  private away: DeviceBehind | undefined;

  constructor(private readonly gateway: Gateway) {
    const { devicesBehind } = gateway.group.settings;
    this.devices = Array.from({ length: devicesBehind }, (_, n) => new DeviceBehind(n, gateway));
    for (const device of this.devices) this.list(device);
  }

  get isSending(): boolean {
    return this.devices.some(({ reports, sender }) => reports.isSending || sender.isSending);
  }

  start(): void {
    for (const { sender } of this.devices) sender.start();
    const { devicesBehindSeconds } = this.gateway.group.settings;
    if (devicesBehindSeconds > 0 && !this.timer) this.changeIn(devicesBehindSeconds * 1_000);
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
    for (const { sender } of this.devices) sender.stop();
    this.clear();
  }

  /** Called when the server has forgotten its observations. */
  clear(): void {
    this.endObservations();
    for (const { store } of this.devices) store.clearAttributes();
  }

  endObservations(): void {
    for (const { reports } of this.devices) reports.clear();
  }

  /** Called after a power failure. */
  reset(): void {
    for (const device of this.devices) {
      device.store.reset();
      if (device !== this.away) this.list(device);
    }
  }

  wake(): void {
    for (const { reports, sender } of this.devices) {
      reports.wake();
      sender.wake();
    }
  }

  observerReset(token: Buffer): void {
    for (const { reports } of this.devices) reports.reset(token);
  }

  /** Undefined for a request to the gateway itself. */
  answer(request: CoapRequest): CoapResponse | undefined {
    try {
      return request.path.length > 0 ? this.answerSingle(request) : this.answerComposite(request);
    } catch (error) {
      if (error instanceof Malformed) return { code: Code.BadRequest };
      throw error;
    }
  }

  private answerSingle(request: CoapRequest): CoapResponse | undefined {
    const [prefix = '', ...path] = request.path;
    if (/^\d+$/.test(prefix)) return undefined;
    const device = this.present(prefix);
    if (!device) return { code: Code.NotFound };
    const { contentFormat: format, payload } = request;
    const isNamed = format !== undefined && payload.length > 0 && namesPaths(format);
    const withoutPrefix = isNamed ? removePrefix(format, payload, prefix) : payload;
    return this.prefixed(device, answer(device, { ...request, path, payload: withoutPrefix }));
  }

  /** Answers a composite operation, which may name the paths of only one device. */
  private answerComposite(request: CoapRequest): CoapResponse | undefined {
    const { contentFormat: format, payload } = request;
    if (format === undefined || !namesPaths(format)) return undefined;
    const [[prefix, withoutPrefix] = ['', payload], ...others] = [...splitByPrefix(format, payload)];
    if (others.length > 0) return { code: Code.BadRequest };
    if (prefix === '') return undefined;
    const device = this.present(prefix);
    if (!device) return { code: Code.NotFound };
    return this.prefixed(device, answer(device, { ...request, payload: withoutPrefix }));
  }

  private prefixed({ prefix }: DeviceBehind, response: CoapResponse): CoapResponse {
    const { contentFormat: format, payload, locationPath } = response;
    return {
      ...response,
      ...(format !== undefined && payload && namesPaths(format) && { payload: addPrefix(format, payload, prefix) }),
      ...(locationPath && { locationPath: [prefix, ...locationPath] }),
    };
  }

  private present(prefix: string): DeviceBehind | undefined {
    return this.devices.find((device) => device.prefix === prefix && device !== this.away);
  }

  private instanceOf({ number }: DeviceBehind): string {
    return `${gatewayObject}/${number}`;
  }

  private list(device: DeviceBehind): void {
    const at = this.instanceOf(device);
    const text = (id: number, read: () => string): Resource => ({ path: `${at}/${id}`, type: 'string', read });
    const links: Resource = { path: `${at}/3`, type: 'corelnk', read: () => linksOf(device.store) };
    this.gateway.store.put(at, [text(0, () => device.name), text(1, () => device.prefix), links]);
  }

  /** After this time one device leaves, or the one that has left returns. */
  private changeIn(delayMs: number): void {
    this.timer = this.gateway.group.context.timers.schedule(delayMs, () => {
      if (this.away) this.join(this.away);
      else this.leave(this.devices[Math.floor(this.gateway.random() * this.devices.length)]);
      this.changeIn(delayMs);
    });
  }

  private join(device: DeviceBehind): void {
    this.away = undefined;
    this.list(device);
    this.announce(device);
  }

  private leave(device: DeviceBehind | undefined): void {
    if (!device) return;
    this.away = device;
    device.reports.clear();
    this.gateway.store.delete(this.instanceOf(device));
    this.announce(device);
  }

  /** Counts that the device has left or returned, and reports it to the server. */
  private announce(device: DeviceBehind): void {
    this.gateway.group.tally.count(this.away === device ? 'device-behind-left' : 'device-behind-joined');
    this.gateway.changed([this.instanceOf(device)]);
    this.gateway.instancesChanged();
  }
}
