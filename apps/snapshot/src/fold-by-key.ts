/** One value per key, of all that have it; sorted by key, so that writers lock rows in one order. */
export const foldByKey = <V>(
  values: readonly V[],
  keyOf: (value: V) => string,
  merge: (held: V, next: V) => V,
): V[] => {
  const held = new Map<string, V>();
  for (const value of values) {
    const key = keyOf(value);
    const other = held.get(key);
    held.set(key, other === undefined ? value : merge(other, value));
  }
  return [...held].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
};
