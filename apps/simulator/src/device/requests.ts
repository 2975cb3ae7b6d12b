import { Code, type CoapRequest, type CoapResponse } from '@lanyard/coap';
import { contentFormat, type Scalar } from '@lanyard/lwm2m';
import { type BootstrapClient } from '../bootstrap/bootstrap-client.js';
import { PowerLost } from '../firmware/download.js';
import { type FirmwareUpdate } from '../firmware/firmware-update.js';
import { type SoftwareInstances } from '../firmware/software-instances.js';
import { type SoftwareManagement } from '../firmware/software-management.js';
import { answer } from '../operations/answer.js';
import { type RequestTarget } from '../operations/request-target.js';
import { isPackage } from '../transport/package-blocks.js';
import { type Group } from './simulation-context.js';

/** The device that the requests of servers affect. */
export interface Controlled extends RequestTarget {
  readonly group: Group;
  readonly bootstrap: BootstrapClient | undefined;
  readonly updater: FirmwareUpdate;
  readonly softwareInstances: SoftwareInstances;
  lifetimeSeconds: number;
  updateSoon(changes?: { lifetimeSeconds?: number }): void;
  bootstrapAgain(): void;
}

const opaqueFormats: readonly (number | undefined)[] = [undefined, contentFormat.opaque];

/** Takes a block of a package, or the whole of a small one. A device without power does not answer. */
const takePackage = async (device: Controlled, request: CoapRequest): Promise<CoapResponse> => {
  if (!opaqueFormats.includes(request.contentFormat)) return { code: Code.UnsupportedContentFormat };
  const { payload, block = { offset: 0, more: false, bytes: payload.length } } = request;
  try {
    const [object, instance] = request.path;
    const target = object === '5' ? device.updater : device.softwareInstances.use(Number(instance));
    return { code: await target.writePackage(block, payload) };
  } catch (error) {
    if (error instanceof PowerLost) return new Promise(() => undefined);
    throw error;
  }
};

export const answerTo = async (device: Controlled, request: CoapRequest): Promise<CoapResponse> => {
  if (device.bootstrap) return device.bootstrap.answer(request);
  const packageResource = isPackage(request.method, request.path) && device.store.get(`/${request.path.join('/')}`);
  if (packageResource) return takePackage(device, request);
  return answer(device, request);
};

/** Applies the effect of an Execute. @returns The response code. */
export const executeResource = (device: Controlled, path: string): number => {
  switch (path) {
    case '/1/0/8':
      device.updateSoon();
      return Code.Changed;
    case '/1/0/9':
      return bootstrapAgain(device);
    case '/5/0/2':
      return device.updater.update();
    case '/5/0/10':
      return device.updater.cancel();
    default:
      return executeSoftware(device, path);
  }
};

/** The instance of object 9, and the id of its resource. */
const softwareAt = (
  { softwareInstances }: Controlled,
  path: string,
): { software: SoftwareManagement; resource: number } | undefined => {
  const [, instance, resource] = /^\/9\/(\d+)\/(\d+)$/.exec(path) ?? [];
  if (instance === undefined) return undefined;
  return { software: softwareInstances.use(Number(instance)), resource: Number(resource) };
};

const executeSoftware = (device: Controlled, path: string): number => {
  const found = softwareAt(device, path);
  if (!found) return Code.Changed;
  const { software, resource } = found;
  switch (resource) {
    case 4:
      return software.install();
    case 6:
      return software.uninstall();
    case 10:
    case 11:
      return software.activate(resource === 10);
    default:
      return Code.Changed;
  }
};

const bootstrapAgain = (device: Controlled): number => {
  if (device.group.settings.bootstrap === 'none') return Code.MethodNotAllowed;
  // Delayed until the answer is sent, because bootstrapping closes the connection.
  device.group.context.timers.schedule(0, () => device.bootstrapAgain());
  return Code.Changed;
};

/** Applies the effect of a written value. @returns The response code if the value must not be stored. */
export const applyWrite = (device: Controlled, path: string, value: Scalar): number | undefined => {
  if (path === '/5/0/1') return device.updater.writeUri(String(value));
  const { software, resource } = softwareAt(device, path) ?? {};
  if (software && resource === 3) return software.writeUri(String(value));
  // In a format other than opaque, the device would have to keep the package.
  if (path === '/5/0/0' || (software && resource === 2)) return Code.UnsupportedContentFormat;
  if (path === '/1/0/1') {
    device.lifetimeSeconds = Number(value);
    device.updateSoon({ lifetimeSeconds: device.lifetimeSeconds });
  }
  return undefined;
};
