import { useRefusal } from './permissions.ts';
import { useRead } from './queries.ts';
import { useSession } from './session.ts';

const namesMax = 1_000;

/** The name of a key, if the person may list keys and it is one of the first; otherwise its id. */
export const useKeyName = (): ((id: string) => string) => {
  const { subject } = useSession();
  const refusal = useRefusal('admin');
  const query = { limit: namesMax };
  const { data } = useRead('GET /v3/api-keys', { query }, { enabled: refusal === undefined });
  const names = new Map(data?.data.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? (id === subject.id ? subject.name : id);
};
