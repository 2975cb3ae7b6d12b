import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** A private module of kafkajs, below its `src`. */
export const privateModule = (path: string): unknown => require(`kafkajs/src/${path}`);

/** Modules that load this one from now on get `exports` instead. */
export const replaceModule = (path: string, exports: unknown): void => {
  const loaded = require.cache[require.resolve(`kafkajs/src/${path}`)];
  if (!loaded) throw new Error(`kafkajs/src/${path} is not loaded`);
  loaded.exports = exports;
};

export const kafkajsVersion = (): string => (require('kafkajs/package.json') as { version: string }).version;
