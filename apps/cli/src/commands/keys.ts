import { rmSync, writeFileSync } from 'node:fs';
import { type ApiKey, NotAllowed } from '@lanyard/client';
import type { Command } from 'commander';
import type { Cli, Session } from '../cli.js';
import { CliError, exitCodes, UsageError } from '../errors.js';
import { findGroup, findNamed, isId } from '../names/records.js';
import { type Column, idColumn } from '../output/output.js';
import { timeOf } from '../output/time.js';
import { collected } from './values.js';

const columns: Column<ApiKey>[] = [
  { title: 'NAME', of: ({ name }) => name },
  { title: 'STATUS', of: ({ status }) => status, style: ({ status }) => (status === 'ACTIVE' ? 'green' : 'red') },
  { title: 'LAST USED', of: (key) => timeOf(key.last_used_at) },
  { title: 'EXPIRES', of: ({ expiration }) => timeOf(expiration) },
  idColumn,
];

/**
 * How to get another secret after one was lost. A key has at most two secrets: after a rotation, the lost one is the newer
 * one, and another rotation ends the older one, which programs still use.
 */
const adviceFor = ({ id, previous_secret_expires_at: until }: ApiKey): string => {
  const another = `"lanyard keys rotate ${id}" gives the key another one`;
  if (until === undefined) return `${another}.`;
  return `The previous secret stays valid until ${timeOf(until)}. ${another}, and ends the previous one at once.`;
};

/** Makes a key and prints it or writes it to a new file, because the whole key is known only now. */
const outputKey = async ({ out }: Session, file: string | undefined, make: () => Promise<ApiKey>): Promise<void> => {
  try {
    // Created before the key is made: a key that cannot be stored would be lost.
    if (file !== undefined) writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new UsageError(`The file cannot be written: ${(error as Error).message}`);
  }
  const remove = (): void => {
    if (file !== undefined) rmSync(file, { force: true });
  };
  const key = await make().catch((error: unknown) => {
    remove();
    throw error;
  });
  if (file === undefined) return out.result(key, () => key.key);
  try {
    writeFileSync(file, `${key.key}\n`);
  } catch (error) {
    // For example, the disk is full. A part of a key is useless.
    remove();
    throw new CliError(
      `The key ${key.id} has a new secret, but the file cannot be written: ${(error as Error).message}`,
      exitCodes.refused,
      adviceFor(key),
    );
  }
  // Scripts need the id of the key. The key itself is only in the file.
  if (out.options.json) await out.json({ ...key, key: undefined });
  out.note(`The key is in ${file}, which only you can read.`);
};

interface CreateOptions {
  group?: string[];
  deviceGroup?: string[];
  source?: string[];
  expires?: string;
  out?: string;
}

const create = async (session: Session, name: string, options: CreateOptions): Promise<void> => {
  const { lanyard } = session;
  const { group = [], deviceGroup = [], source, expires, out } = options;
  const groups: string[] = [];
  for (const each of group)
    groups.push((await findNamed('key group', lanyard.items('GET /v3/policy-groups'), each)).id);
  const deviceGroups: string[] = [];
  for (const each of deviceGroup) deviceGroups.push(await findGroup(lanyard, each));
  const body = {
    name,
    ...(groups.length > 0 && { groups }),
    ...(deviceGroups.length > 0 && { device_groups: deviceGroups }),
    ...(source && { source_addresses: source }),
    ...(expires !== undefined && { expiration: expires }),
  };
  await outputKey(session, out, () => lanyard.call('POST /v3/api-keys', { body }));
};

const keyIdOf = async ({ lanyard }: Session, nameOrId: string): Promise<string> => {
  try {
    return (await findNamed('key', lanyard.items('GET /v3/api-keys'), nameOrId)).id;
  } catch (error) {
    // Only administrators may list keys, but every key may be used to change itself.
    if (error instanceof NotAllowed && isId(nameOrId)) return nameOrId;
    throw error;
  }
};

export const addKeys = (program: Command, cli: Cli): void => {
  const keys = program.command('keys').description('List, create, rotate and delete API keys');
  keys
    .command('list', { isDefault: true })
    .description('List API keys (the default)')
    .action(async (_, command: Command) => {
      const { lanyard, out } = cli.session(command);
      await out.list(lanyard.items('GET /v3/api-keys'), columns);
    });
  keys
    .command('create')
    .description('Create an API key and print it; it is not shown again')
    .argument('<name>', 'name of the key')
    .option(
      '--group <group>',
      'key group (name or id) whose permissions the key gets; repeatable; default: Developers',
      collected,
    )
    .option(
      '--device-group <group>',
      'device group (name or id) that the key is limited to; repeatable; default: all devices',
      collected,
    )
    .option(
      '--source <network>',
      'address or network that the key may be used from, for example 192.0.2.0/24; repeatable; default: any',
      collected,
    )
    .option('--expires <time>', 'ISO 8601; requests with the key are rejected from then on')
    .option('--out <file>', 'write the key to this new file of mode 600 instead of printing it')
    .action((name: string, options: CreateOptions, command: Command) => create(cli.session(command), name, options));
  keys
    .command('rotate')
    .description('Give a key a new secret; the old one stays valid for a while')
    .argument('<key>', 'name or id')
    .option('--out <file>', 'write the key to this new file of mode 600 instead of printing it')
    .action(async (name: string, { out }: { out?: string }, command: Command) => {
      const session = cli.session(command);
      const id = await keyIdOf(session, name);
      await outputKey(session, out, () => session.lanyard.call('POST /v3/api-keys/{id}/rotate', { path: { id } }));
    });
  keys
    .command('delete')
    .description('Delete a key with its channel and subscriptions')
    .argument('<key>', 'name or id')
    .action(async (name: string, _, command: Command) => {
      const session = cli.session(command);
      const id = await keyIdOf(session, name);
      await session.lanyard.call('DELETE /v3/api-keys/{id}', { path: { id } });
      session.out.note(`Key ${name} is deleted.`);
    });
};
