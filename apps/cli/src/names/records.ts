import type { Lanyard } from '@lanyard/client';
import { NameUnknown, UsageError } from '../errors.js';
import { closest } from './closest.js';

interface Named {
  id: string;
  name: string;
}

export const isId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/** The record with this id or name. Reads all records of the kind, of which an account has few. */
export const findNamed = async <T extends Named>(kind: string, all: AsyncIterable<T>, nameOrId: string): Promise<T> => {
  let identified: T | undefined;
  const named: T[] = [];
  const names: string[] = [];
  for await (const each of all) {
    if (each.id === nameOrId) identified = each;
    else if (each.name === nameOrId) named.push(each);
    names.push(each.name);
  }
  const [found, ...others] = named;
  if (identified && found)
    throw new UsageError(
      `"${nameOrId}" is the id of one ${kind} and the name of another.`,
      `Use the name of the first, "${identified.name}", or the id of the second, ${found.id}.`,
    );
  if (identified) return identified;
  if (found && others.length > 0)
    throw new UsageError(
      `Several ${kind}s are called "${nameOrId}".`,
      `Use the id of one: ${named.map(({ id }) => id).join(', ')}.`,
    );
  if (found) return found;
  const near = closest(nameOrId, names);
  throw new NameUnknown(`There is no ${kind} "${nameOrId}".`, near && `Did you mean "${near}"?`);
};

export const findGroup = async (lanyard: Lanyard, nameOrId: string): Promise<string> =>
  (await findNamed('group', lanyard.items('GET /v3/device-groups'), nameOrId)).id;
