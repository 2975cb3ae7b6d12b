import type { EntityManager } from 'typeorm';

const requests = new WeakMap<EntityManager, string>();

/** From now on, everything announced in this transaction carries the id of the request that caused it. */
export const causedBy = (manager: EntityManager, requestId: string | null | undefined): void => {
  if (requestId) requests.set(manager, requestId);
  else requests.delete(manager);
};

/** The id of the request that caused a transaction, for the metadata of its messages; {} unless `causedBy` set it. */
export const causeOf = (manager: EntityManager): { requestId?: string } => {
  const requestId = requests.get(manager);
  return requestId === undefined ? {} : { requestId };
};
