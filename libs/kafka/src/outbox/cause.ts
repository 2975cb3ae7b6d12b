import type { EntityManager } from 'typeorm';

const requests = new WeakMap<EntityManager, string>();

/** What is announced in this transaction from now on, is so because of this request: its id goes along. */
export const causedBy = (manager: EntityManager, requestId: string | null | undefined): void => {
  if (requestId) requests.set(manager, requestId);
  else requests.delete(manager);
};

export const causeOf = (manager: EntityManager): { requestId?: string } => {
  const requestId = requests.get(manager);
  return requestId === undefined ? {} : { requestId };
};
