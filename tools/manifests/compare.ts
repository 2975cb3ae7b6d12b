/** Compares the objects that two builders make. */
import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from './kustomize.ts';

/** Names of generated maps end with a hash, which each builder computes differently. */
const comparable = (manifests: Manifest[]): Map<string, Manifest> =>
  new Map(
    manifests
      .map((m) => JSON.parse(JSON.stringify(m).replaceAll(/"(lanyard-[a-z-]+)-[0-9a-z]{10}"/g, '"$1"')) as Manifest)
      .map((m) => [`${m.kind} ${m.metadata.name}`, m]),
  );

/** Paths below which two values differ. */
const differingPaths = (a: unknown, b: unknown, path = ''): string[] => {
  if (isDeepStrictEqual(a, b)) return [];
  const areObjects = [a, b].every((value) => value !== null && typeof value === 'object');
  if (!areObjects || Array.isArray(a) !== Array.isArray(b)) return [path || '/'];
  const keys = new Set([...Object.keys(a as object), ...Object.keys(b as object)]);
  return [...keys].flatMap((key) => differingPaths((a as any)[key], (b as any)[key], `${path}/${key}`));
};

/**
 * @param theirs the manifests of the other builder
 * @param who the other builder
 */
export const differences = (ours: Manifest[], theirs: Manifest[], who: string): string[] => {
  const [expected, found] = [comparable(ours), comparable(theirs)];
  return [
    ...[...expected.keys()].filter((id) => !found.has(id)).map((id) => `${who} makes no ${id}`),
    ...[...found.keys()].filter((id) => !expected.has(id)).map((id) => `${who} also makes ${id}`),
    ...[...expected].flatMap(([id, manifest]) => {
      const other = found.get(id);
      return other ? differingPaths(manifest, other).map((path) => `${who} makes another ${id}: ${path}`) : [];
    }),
  ];
};
