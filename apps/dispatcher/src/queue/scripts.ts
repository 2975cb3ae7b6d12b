import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const commandNames = [
  'append-2',
  'claim-1',
  'take-1',
  'ack-1',
  'fail-1',
  'postpone-1',
  'attach-1',
  'detach-1',
  'unpend-1',
  'register-2',
  'remove-2',
  'lapsed-1',
  'inspect-1',
  'bury-1',
  'beat-1',
  'close-1',
  'drops-1',
  'holds-1',
  'time-1',
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

/** Every command, by name. The number at the end of a name is that of its keys; they say which node of a cluster runs it. */
export const scripts: Record<CommandName, Script> = Object.fromEntries(
  commandNames.map((name) => [name, script(name)]),
) as Record<CommandName, Script>;
