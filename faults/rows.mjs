/** The fault matrix. A new row is a function in one of these files. */
import { channelRows } from './rows/channels.mjs';
import { dispatcherRows } from './rows/dispatcher.mjs';
import { everythingRows } from './rows/everything.mjs';
import { kafkaRows } from './rows/kafka.mjs';
import { limitRows } from './rows/limits.mjs';
import { receiverRows } from './rows/receivers.mjs';
import { redisRows } from './rows/redis.mjs';

/** @type {readonly import('./experiment.mjs').Row[]} */
export const rows = [
  ...dispatcherRows,
  ...redisRows,
  ...kafkaRows,
  ...receiverRows,
  ...channelRows,
  ...limitRows,
  ...everythingRows,
];
