/** Filter of the API, decoded; undefined: all devices of the account. */
export type Filter = string | undefined;

/** The devices that an action concerns: those that any of these filters finds. */
export type Selection = readonly Filter[];

/** How many ids fit into a filter, which may have 4,000 characters, and into the URL with that filter. */
export const idsMax = 100;

/** Selects the given devices; without any, all that the filter finds. */
export const selectionOf = (ids: readonly string[], filter: Filter): Selection => {
  if (ids.length === 0) return [filter];
  const requests = Math.ceil(ids.length / idsMax);
  return Array.from({ length: requests }, (_, n) => `id__in=${ids.slice(n * idsMax, (n + 1) * idsMax).join(',')}`);
};

/** Selects the devices that are not in the group and can be added, or those that are in it and can be removed. */
export const selectionIn = (selection: Selection, action: 'add' | 'remove', groupId: string): readonly string[] => {
  const condition = `groups__${action === 'add' ? 'nin' : 'in'}=${groupId}`;
  return selection.map((filter) => (filter === undefined ? condition : `${filter}&${condition}`));
};
