import { pathAndParents } from '@lanyard/lwm2m';

interface Row {
  path: string;
  /** The row is a subscription to the path, and no resource. */
  is_subscription: boolean;
}

/**
 * The resources, each with whether a subscription covers it, then the subscriptions that cover no resource. A
 * subscription to an object or an instance covers every resource below it. Paths are looked up in a set instead of
 * being compared with each other: a device may have thousands of resources and a thousand subscribed paths.
 */
export const withSubscriptions = <T extends Row>(rows: readonly T[]): (T & { subscribed: boolean })[] => {
  const subscriptions = rows.filter((row) => row.is_subscription);
  const subscribed = new Set(subscriptions.map(({ path }) => path));
  const covering = new Set<string>();
  const resources = rows
    .filter((row) => !row.is_subscription)
    .map((row) => {
      const coveredBy = pathAndParents(row.path).filter((path) => subscribed.has(path));
      for (const path of coveredBy) covering.add(path);
      return { ...row, subscribed: coveredBy.length > 0 };
    });
  const others = subscriptions.filter(({ path }) => !covering.has(path));
  return [...resources, ...others.map((row) => ({ ...row, subscribed: true }))];
};
