/** Of each device the fact with the highest number, the last one of several. Sorted: writers lock rows in one order. */
export const lastOfDevices = <F extends { deviceId: string }>(
  facts: readonly F[],
  numberOf: (fact: F) => number,
): F[] => {
  const last = new Map<string, F>();
  for (const fact of facts) {
    const held = last.get(fact.deviceId);
    if (!held || numberOf(fact) >= numberOf(held)) last.set(fact.deviceId, fact);
  }
  return [...last.values()].sort((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
};
