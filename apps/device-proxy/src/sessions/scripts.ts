import { readFileSync } from 'node:fs';
import type { RedisClient } from '@lanyard/service';
import { defineScripts } from '../db/redis-scripts.js';

/** Scripts that begin, move or end a session share the rules for epochs, addresses, and devices behind gateways. */
const preluded = ['open-sessions', 'take-session-3', 'update-session-3', 'close-session-4', 'claim-expired-1'] as const;
const names = [...preluded, 'claim-end-2', 'keep-lost-sessions', 'note-observations', 'renew-sessions'] as const;

const read = (name: string): string => readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8');

const source = (name: (typeof names)[number]): string =>
  preluded.some((one) => one === name) ? `${read('prelude')}\n${read(name)}` : read(name);

/** The scripts lie beside this file; the build copies them to dist. */
export const loadScripts = (redis: RedisClient) => defineScripts(redis, names, source);
