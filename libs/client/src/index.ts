export { callbackEvents } from './callback.js';
export { type Channel, type ChannelOptions, type ChannelState } from './channel.js';
export type { Command, CommandOptions, CommandResult } from './commands.js';
export * from './errors.js';
export * from './events.js';
export type * from './generated/api.js';
export { Lanyard, type LanyardOptions } from './lanyard.js';
export type { TailOptions } from './tail.js';
export type { AnswerOf, CallOptions, ItemOf, ListOperation, Operation } from './operations.js';
