import { isIP } from 'node:net';
import { CoapSource, type PackageServer } from '../firmware/coap-source.js';
import { type FirmwareHost } from '../firmware/firmware-host.js';
import { HttpSource } from '../firmware/http-source.js';
import { DownloadFailed, type PackageSource } from '../firmware/sources.js';
import { Result } from '../firmware/states.js';
import { type FirmwareFailure } from '../settings/firmware.js';
import { parseServerUrl, type Scheme } from '../settings/server-url.js';
import { type DeviceTransport, type Server } from '../transport/device-transport.js';
import { type Group } from './simulation-context.js';

export interface Updatable {
  readonly number: number;
  readonly group: Group;
  /** Scheme of the URL of its server. */
  readonly scheme: Scheme;
  readonly server: Server;
  readonly transport: DeviceTransport;
  transportTo(scheme: Scheme): DeviceTransport;
  changed(paths: readonly string[]): void;
  stayAwake(): void;
  powerOff(backInSeconds: number | 'never'): void;
}

/** Whether the device belongs to this share, which is spread over the numbers so that small fleets have it, too. */
const isAmong = (number: number, percent: number): boolean => (number * 37) % 100 < percent;

const failureOf = ({ number, group }: Updatable): FirmwareFailure => {
  const { failure, failurePercent } = group.settings.firmware;
  return isAmong(number, failurePercent) ? failure : 'none';
};

/** The server of a package, over the device's own connection if it is the server that the device is connected to. */
const packageServer = (device: Updatable, scheme: Scheme, to: { host: string; port: number }): PackageServer => {
  const isOwn = scheme === device.scheme && to.host === device.server.address && to.port === device.server.port;
  if (isOwn)
    return {
      open: () => device.transport.open(device.server),
      request: (request) => device.transport.request(request),
      close: () => Promise.resolve(),
    };
  const transport = device.transportTo(scheme);
  return {
    open: async () => {
      const address = isIP(to.host) > 0 ? to.host : await device.group.context.resolve(to.host);
      await transport.open({ address, port: to.port });
    },
    request: (request) => transport.request(request),
    close: () => transport.close(),
  };
};

const coapSource = (device: Updatable, url: URL): PackageSource => {
  const server = parseServerUrl(`${url.protocol}//${url.host}`);
  if (!server) throw new DownloadFailed(Result.unsupportedProtocol, url.protocol);
  return new CoapSource(url, device.group.settings, packageServer(device, server.scheme, server));
};

const sourceOf = (device: Updatable, uri: string): PackageSource => {
  if (!URL.canParse(uri)) throw new DownloadFailed(Result.invalidUri, 'no URI');
  const url = new URL(uri);
  if (url.protocol === 'http:' || url.protocol === 'https:') return new HttpSource(uri);
  return coapSource(device, url);
};

export const firmwareHostOf = (device: Updatable): FirmwareHost => {
  const { context, settings, tally } = device.group;
  return {
    settings: settings.firmware,
    timers: context.timers,
    failure: failureOf(device),
    sourceOf: (uri) => sourceOf(device, uri),
    count: (event) => tally.count(event),
    changed: (paths) => device.changed(paths),
    onProgress: () => device.stayAwake(),
    powerOff: (seconds) => device.powerOff(seconds),
  };
};
