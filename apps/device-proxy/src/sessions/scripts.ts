import { readFileSync } from 'node:fs';
import type { RedisClient } from '@lanyard/service';
import { defineScripts, type RunScripts } from '../db/redis-scripts.js';

const names = [
  'open-sessions',
  'take-session-3',
  'update-session-3',
  'close-session-4',
  'claim-expired-1',
  'claim-end-2',
  'keep-lost-sessions',
  'note-observations',
  'renew-sessions',
] as const;

export type ScriptName = (typeof names)[number];

export type RunScript = RunScripts<ScriptName>;

const read = (name: string): string => readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8');

/** Scripts that begin, move or end a session share the rules for epochs, addresses, and devices behind gateways. */
const withPrelude: readonly ScriptName[] = [
  'open-sessions',
  'take-session-3',
  'update-session-3',
  'close-session-4',
  'claim-expired-1',
];

const source = (name: ScriptName): string =>
  withPrelude.includes(name) ? `${read('prelude')}\n${read(name)}` : read(name);

/** The scripts lie beside this file; the build copies them to dist. */
export const loadScripts = (redis: RedisClient): RunScript => defineScripts(redis, names, source);
