import type { EntityManager } from 'typeorm';
import { Command, type CommandState } from './command.entity.js';

/** A command of the API key: the one with this id, or the newest with this async-id. */
export const findCommand = (
  manager: EntityManager,
  keyId: string,
  reference: string,
  state?: CommandState,
): Promise<Command | null> => {
  const which = { keyId, ...(state && { state }) };
  return manager.findOne(Command, {
    where: [
      { ...which, id: reference },
      { ...which, asyncId: reference },
    ],
    order: { position: 'DESC' },
  });
};
