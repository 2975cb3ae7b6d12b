import { parseLinks, rootVersion } from './link-format.js';
import { parsePath } from './path.js';

/** An object instance that a device already has when it bootstraps. */
export interface BootstrapInstance {
  object: number;
  instance: number;
  /** `ssid` of a Security or Server instance. The Security instance of the bootstrap server has none. */
  shortServerId?: number;
}

export interface BootstrapLinks {
  /** The version of LwM2M that the device names; 1.0 if it names none. */
  version: string;
  instances: BootstrapInstance[];
}

/** 1.0 has the version before the links (`lwm2m="1.0",</0/0>`), 1.1 as an attribute of the root (`</>;lwm2m=1.1,</0/0>`). */
const leading = /^\s*lwm2m="?(\d\.\d)"?\s*(?:,|$)/;

const shortServerId = (text: string | true | undefined): number | undefined =>
  typeof text === 'string' && /^\d{1,5}$/.test(text) ? Number(text) : undefined;

/** Reads the answer to a Bootstrap-Discover (LwM2M 1.0 §5.2.7.3, 1.1 core §6.1.7.2). Throws Malformed. */
export const parseBootstrapLinks = (text: string): BootstrapLinks => {
  const [before = '', leadingVersion] = leading.exec(text) ?? [];
  const list = text.slice(before.length);
  const instances = parseLinks(list).links.flatMap(({ path, attributes }): BootstrapInstance[] => {
    const { object, instance, resource } = parsePath(path);
    if (instance === undefined || resource !== undefined) return [];
    const ssid = shortServerId(attributes['ssid']);
    return [{ object, instance, ...(ssid !== undefined && { shortServerId: ssid }) }];
  });
  return { version: leadingVersion ?? rootVersion(list) ?? '1.0', instances };
};
