import { readFileSync } from 'node:fs';
import type { RedisClient } from '@lanyard/service';
import { defineScripts } from '../db/redis-scripts.js';

const names = [
  'hold-slot-1',
  'release-slot-1',
  'save-connections',
  'take-connections',
  'confirm-connections',
  'release-connections',
  'remove-connections',
] as const;

export const loadConnectionScripts = (redis: RedisClient) =>
  defineScripts(redis, names, (name) => readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8'));
