import { writeFileSync } from 'node:fs';
import type { ApiKey } from '@lanyard/client';
import type { Command } from 'commander';
import type { Cli, Session } from '../cli.js';
import { UsageError } from '../errors.js';
import { findNamed } from '../names/records.js';
import type { Column } from '../output/output.js';
import { timeOf } from '../output/time.js';
import { collected } from './values.js';

const columns: Column<ApiKey>[] = [
  { title: 'NAME', of: ({ name }) => name },
  { title: 'STATUS', of: ({ status }) => status, style: ({ status }) => (status === 'ACTIVE' ? 'green' : 'red') },
  { title: 'LAST USED', of: (key) => timeOf(key.last_used_at) },
  { title: 'EXPIRES', of: ({ expiration }) => timeOf(expiration) },
  { title: 'ID', of: ({ id }) => id, style: () => 'dim' },
];

/** The only time that the whole key is known. */
const hand = async ({ out }: Session, key: ApiKey, file: string | undefined): Promise<void> => {
  if (file === undefined) return out.result(key, () => key.key);
  out.note(`The key is in ${file}, which only you can read.`);
};

/** Before the key is made: a key that cannot be stored would be lost. */
const reserved = (file: string | undefined): void => {
  try {
    if (file !== undefined) writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new UsageError(`The file cannot be written: ${(error as Error).message}`);
  }
};

interface CreateOptions {
  group?: string[];
  expires?: string;
  out?: string;
}

const create = async (session: Session, name: string, { group = [], expires, out }: CreateOptions): Promise<void> => {
  const { lanyard } = session;
  const groups: string[] = [];
  for (const each of group)
    groups.push((await findNamed('key group', lanyard.items('GET /v3/policy-groups'), each)).id);
  reserved(out);
  const body = { name, ...(groups.length > 0 && { groups }), ...(expires !== undefined && { expiration: expires }) };
  const key = await lanyard.call('POST /v3/api-keys', { body });
  if (out !== undefined) writeFileSync(out, `${key.key}\n`);
  await hand(session, key, out);
};

const keyOf = ({ lanyard }: Session, name: string): Promise<ApiKey> =>
  findNamed('key', lanyard.items('GET /v3/api-keys'), name);

export const addKeys = (program: Command, cli: Cli): void => {
  const keys = program.command('keys').description('List, create, rotate and delete API keys');
  keys
    .command('list', { isDefault: true })
    .description('List API keys (the default)')
    .action(async (_, command: Command) => {
      const { lanyard, out } = cli.session(command);
      await out.list(lanyard.items('GET /v3/api-keys'), columns, ({ id }) => id);
    });
  keys
    .command('create')
    .description('Create an API key and print it, the only time that it is shown')
    .argument('<name>', 'of the key')
    .option('--group <group>', 'key group (name or id) that permits something; repeatable', collected)
    .option('--expires <time>', 'ISO 8601; the key is refused from then on')
    .option('--out <file>', 'write the key to this new file of mode 600 instead')
    .action((name: string, options: CreateOptions, command: Command) => create(cli.session(command), name, options));
  keys
    .command('rotate')
    .description('Give a key a new secret; the old one stays valid for a while')
    .argument('<key>', 'name or id')
    .option('--out <file>', 'write the key to this new file of mode 600 instead of printing it')
    .action(async (name: string, { out }: { out?: string }, command: Command) => {
      const session = cli.session(command);
      const { id } = await keyOf(session, name);
      reserved(out);
      const key = await session.lanyard.call('POST /v3/api-keys/{id}/rotate', { path: { id } });
      if (out !== undefined) writeFileSync(out, `${key.key}\n`);
      await hand(session, key, out);
    });
  keys
    .command('delete')
    .description('Delete a key with its channel and subscriptions')
    .argument('<key>', 'name or id')
    .action(async (name: string, _, command: Command) => {
      const session = cli.session(command);
      const { id } = await keyOf(session, name);
      await session.lanyard.call('DELETE /v3/api-keys/{id}', { path: { id } });
      session.out.note(`Key ${name} is deleted.`);
    });
};
