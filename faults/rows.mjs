/** The fault matrix. A new row is a function in one of these files. */
import { brokerRows } from './rows/brokers.mjs';
import { channelRows } from './rows/channels.mjs';
import { diskRows } from './rows/disks.mjs';
import { dispatcherRows } from './rows/dispatcher.mjs';
import { everythingRows } from './rows/everything.mjs';
import { gatewayRows } from './rows/gateway.mjs';
import { kafkaRows } from './rows/kafka.mjs';
import { limitRows } from './rows/limits.mjs';
import { receiverRows } from './rows/receivers.mjs';
import { redisClusterRows } from './rows/redis-cluster.mjs';
import { redisRows } from './rows/redis.mjs';
import { sentinelRows } from './rows/sentinel.mjs';
import { stopRows } from './rows/stops.mjs';

/** @type {readonly import('./experiment.mjs').Row[]} */
export const rows = [
  ...dispatcherRows,
  ...redisRows,
  ...redisClusterRows,
  ...sentinelRows,
  ...kafkaRows,
  ...brokerRows,
  ...receiverRows,
  ...channelRows,
  ...limitRows,
  ...stopRows,
  ...gatewayRows,
  ...diskRows,
  ...everythingRows,
];
