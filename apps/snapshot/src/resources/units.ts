import type { EchoResource } from './device-echo.js';

/** Sensor Units of the IPSO objects: the unit of what the same instance measures. */
const unitsResource = '5701';

/** Sensor value, its minima and maxima, values by axis, analogue input and output, set point. */
const measured = /^(5700|560[0-4]|5650|570[2-4]|5508|5509|551[0-3]|5519|5520|5900)$/;

const split = (path: string): [instance: string, resource: string] => {
  const at = path.lastIndexOf('/');
  return [path.slice(0, at), path.slice(at + 1)];
};

/** Gives measured values the unit that their instance reports; one that the object definition names stays. */
export const withReportedUnits = (resources: readonly EchoResource[]): EchoResource[] => {
  const units = new Map<string, string>();
  for (const { resource_path: path, reported } of resources) {
    const [instance, resource] = split(path);
    if (resource === unitsResource && typeof reported?.decoded === 'string') units.set(instance, reported.decoded);
  }
  return resources.map((resource) => {
    const [instance, id] = split(resource.resource_path);
    const unit = resource.unit ?? (measured.test(id) ? units.get(instance) : undefined);
    return unit === undefined || unit === '' ? resource : { ...resource, unit };
  });
};
