/** The part that works in a browser: calls, commands and the event log. Nothing here imports from Node. */
export { payloadOf, textOf } from './bytes.js';
export { Calls, type CallsOptions } from './calls.js';
export type { Command, CommandOptions, CommandResult } from './commands.js';
export * from './errors.js';
export type * from './generated/api.js';
export type * from './operations.js';
export type { TailOptions } from './tail.js';
