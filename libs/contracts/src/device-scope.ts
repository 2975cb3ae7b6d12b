/** The device groups that a caller is limited to. undefined: all devices of its account. */
export type DeviceScope = readonly string[] | undefined;

/** Whether a device that is in `groups` is one of the caller's. */
export const isInScope = (scope: DeviceScope, groups: readonly string[] = []): boolean =>
  scope === undefined || groups.some((group) => scope.includes(group));

/** What remains of several limits: a device must be within each of them. */
export const narrowest = (scopes: readonly (DeviceScope | null)[]): DeviceScope => {
  const limits = scopes.filter((scope): scope is readonly string[] => scope !== null && scope !== undefined);
  const [first, ...others] = limits;
  return first && [...new Set(first)].filter((group) => others.every((limit) => limit.includes(group))).sort();
};
