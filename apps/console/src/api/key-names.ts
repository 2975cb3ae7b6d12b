import { useRefusal } from './permissions.ts';
import { useRead } from './queries.ts';
import { useSession } from './session.ts';

const namesMax = 1_000;

type Named = readonly { id: string; name: string }[] | undefined;

/** The name of a key, an application or a person. Its id without the permission to list them, or if it is not among the first. */
export const useKeyName = (): ((id: string) => string) => {
  const { subject } = useSession();
  const enabled = useRefusal('admin') === undefined;
  const input = { query: { limit: namesMax } };
  const keys = useRead('GET /v3/api-keys', input, { enabled }).data?.data;
  const applications = useRead('GET /v3/applications', input, { enabled }).data?.data;
  const people = useRead('GET /v3/users', input, { enabled }).data?.data;
  const lists: readonly Named[] = [keys, applications, people];
  const names = new Map(lists.flatMap((list) => list?.map(({ id, name }) => [id, name] as const) ?? []));
  return (id) => names.get(id) ?? (id === subject.id ? subject.name : id);
};
