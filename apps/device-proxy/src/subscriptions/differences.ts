interface KeyAndPath {
  keyId: string;
  path: string;
}

const nameOf = ({ keyId, path }: KeyAndPath): string => keyId + path;

/** The subscriptions of `some` that are not in `others`. A device lists up to 5,000 paths, and any number of keys may want each. */
export const difference = <T extends KeyAndPath>(some: readonly T[], others: readonly KeyAndPath[]): T[] => {
  const names = new Set(others.map(nameOf));
  return some.filter((one) => !names.has(nameOf(one)));
};
