/** The fault matrix. A new row is an object in one of these files. */
import { brokerRows } from './rows/brokers.ts';
import { channelRows } from './rows/channels.ts';
import { diskRows } from './rows/disks.ts';
import { dispatcherRows } from './rows/dispatcher.ts';
import { dtlsRows } from './rows/dtls.ts';
import { everythingRows } from './rows/everything.ts';
import { gatewayRows } from './rows/gateway.ts';
import { kafkaRows } from './rows/kafka.ts';
import { limitRows } from './rows/limits.ts';
import { receiverRows } from './rows/receivers.ts';
import { redisClusterRows } from './rows/redis-cluster.ts';
import { redisRows } from './rows/redis.ts';
import { sentinelRows } from './rows/sentinel.ts';
import { stopRows } from './rows/stops.ts';
import type { Row } from './experiment.ts';

export const rows: readonly Row[] = [
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
  ...dtlsRows,
  ...everythingRows,
];
