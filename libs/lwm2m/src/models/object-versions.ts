/** Versions of the objects for which a device names one, by object id. */
export type ObjectVersions = Readonly<Record<string, string>>;

/** The version of an object for which the device names none (LwM2M 1.1 core §7.2.2). */
export const defaultObjectVersion = '1.0';

const objectVersionPattern = /^\d{1,3}\.\d{1,3}$/;

const objectPattern = /^\/(\d+)/;

interface VersionedLink {
  path: string;
  attributes: Readonly<Record<string, string | true>>;
}

/** Read from the `ver` attributes of a registration (`</3303>;ver="1.1"`, LwM2M 1.1 core §6.2.1). Undefined if there are none. */
export const objectVersions = (links: readonly VersionedLink[]): ObjectVersions | undefined => {
  const named = links.flatMap(({ path, attributes: { ver } }): [string, string][] => {
    const object = objectPattern.exec(path)?.[1];
    return object !== undefined && typeof ver === 'string' && objectVersionPattern.test(ver) ? [[object, ver]] : [];
  });
  return named.length > 0 ? Object.fromEntries(named) : undefined;
};

const partsOf = (version: string): [major: number, minor: number] => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return [major, minor];
};

export const compareVersions = (a: string, b: string): number => {
  const [majorA, minorA] = partsOf(a);
  const [majorB, minorB] = partsOf(b);
  return majorA - majorB || minorA - minorB;
};

/**
 * The model version with which to read a device: the same version, or else one of the same major version, since minor
 * versions only add to an object: the next lower one, or if there is none, the lowest. `known` is in ascending order.
 */
export const closestVersion = <T extends { version: string }>(known: readonly T[], wanted: string): T | undefined => {
  const [major] = partsOf(wanted);
  const sameMajor = known.filter(({ version }) => partsOf(version)[0] === major);
  return sameMajor.findLast(({ version }) => compareVersions(version, wanted) <= 0) ?? sameMajor[0];
};
