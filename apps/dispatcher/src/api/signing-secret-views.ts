import {
  formatTimestamp,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
  listSchema,
  type ListSpec,
} from '@lanyard/service';
import { z } from 'zod';
import type { SigningSecret } from '../callback-client/signature.js';

const SecretView = z.object({ id: z.string(), created_at: z.string() }).meta({ id: 'SigningSecret' });
export type SecretView = z.infer<typeof SecretView>;

export const SecretList = listSchema(SecretView, 'SigningSecretList');

export const CreatedSecret = z
  .object({ id: z.string(), secret: z.string().describe('Only this response contains it'), created_at: z.string() })
  .meta({ id: 'CreatedSigningSecret' });
export type CreatedSecret = z.infer<typeof CreatedSecret>;

export const secretsSpec: ListSpec = { filters: {} };

const view = ({ id, createdAtMs }: SigningSecret): SecretView => ({ id, created_at: formatTimestamp(createdAtMs) });

export const createdView = ({ id, secret, createdAtMs }: SigningSecret): CreatedSecret => ({
  id,
  secret,
  created_at: formatTimestamp(createdAtMs),
});

/** A page of the few secrets of a channel, in the order of their ids. */
export const secretsPage = (secrets: readonly SigningSecret[], query: ListQuery): ListEnvelope<SecretView> => {
  const all = secrets.map(view).sort((a, b) => (a.id < b.id ? -1 : 1));
  if (query.order === 'DESC') all.reverse();
  const { after, limit } = query;
  const isBehind = ({ id }: SecretView): boolean => after === null || (query.order === 'ASC' ? id > after : id < after);
  const rows = all.filter(isBehind).slice(0, limit + 1);
  return listEnvelope(rows, query, query.includeTotal ? all.length : undefined);
};
