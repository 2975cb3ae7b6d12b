import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const commandNames = [
  'append',
  'claim',
  'read',
  'ack',
  'oldest',
  'regroup',
  'fail',
  'postpone',
  'attach',
  'detach',
  'requeue-pending',
  'register',
  'remove',
  'claim-expired',
  'inspect',
  'release-held',
  'heartbeat',
  'close',
  'drops',
  'holds',
  'time',
] as const;
export type CommandName = (typeof commandNames)[number];

export interface Script {
  source: string;
  sha: string;
}

/** The compiler copies no Lua: this path leads to the sources from `src/queue` as well as from `dist/queue`. */
const read = (name: string): string =>
  readFileSync(new URL(`../../src/queue/commands/${name}.lua`, import.meta.url), 'utf8');

const prelude = read('prelude');

const script = (name: CommandName): Script => {
  const source = `${prelude}\n${read(name)}`;
  return { source, sha: createHash('sha1').update(source).digest('hex') };
};

/** Every command, by name. */
export const scripts: Record<CommandName, Script> = Object.fromEntries(
  commandNames.map((name) => [name, script(name)]),
) as Record<CommandName, Script>;
