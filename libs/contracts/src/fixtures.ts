import { readFileSync } from 'node:fs';

/** Named example values of a topic: those that must always parse, and those that must be refused. */
export interface Fixtures {
  valid: Record<string, unknown>;
  invalid: Record<string, unknown>;
}

/** Reads `fixtures/<topic>.v<version>.json`. Shape: `{ "valid": {name: value}, "invalid": {name: value} }`. */
export const fixtures = (topic: { name: string; version: number }): Fixtures =>
  JSON.parse(readFileSync(new URL(`../fixtures/${topic.name}.v${topic.version}.json`, import.meta.url), 'utf8'));
