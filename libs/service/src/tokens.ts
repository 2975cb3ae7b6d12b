/** Injection tokens of what is not a class. `CONFIG` is the app's own configuration, as its `config.ts` types it. */
export const CONFIG = Symbol('Config');
export const CLOCK = Symbol('Clock');
export const LOGGER = Symbol('Logger');
