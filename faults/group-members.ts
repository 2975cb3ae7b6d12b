/**
 * Kafka waits 30 s for a killed consumer before it gives its partitions to others. A row that kills often cannot wait each
 * time, so the row leaves the group in place of the dead member, with the request that a living member would send.
 */
import net from 'node:net';
import type { KafkaConnection } from '@lanyard/kafka';

const string = (text: string) => {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** LeaveGroup, version 0. */
const leaveGroup = (groupId: string, memberId: string) => {
  const head = Buffer.from([0, 13, 0, 0, 0, 0, 0, 1]);
  const body = Buffer.concat([head, string('faults'), string(groupId), string(memberId)]);
  const size = Buffer.alloc(4);
  size.writeInt32BE(body.length);
  return Buffer.concat([size, body]);
};

const ask = (broker: string, request: Buffer) =>
  new Promise<Buffer>((done, failed) => {
    const [host, port] = broker.split(':');
    const socket = net.connect({ host: host ?? '', port: Number(port), timeout: 3_000 }, () => socket.write(request));
    socket.once('data', (answer) => {
      socket.destroy();
      done(answer);
    });
    socket.once('timeout', () => socket.destroy(new Error('Kafka does not answer')));
    socket.once('error', failed);
  });

/** Whether Kafka has done what was asked: the error code follows length and number. */
const isDone = (answer: Buffer) => answer.readInt16BE(8) === 0;

/**
 * Removes a dead member from its groups. Resolves with how many of them it was in.
 * @param clientId of the member
 */
export const evict = async (
  connection: KafkaConnection,
  broker: string,
  groupIds: readonly string[],
  clientId: string,
) => {
  const admin = connection.kafka.admin();
  await admin.connect();
  let evicted = 0;
  try {
    const { groups } = await admin.describeGroups([...groupIds]);
    for (const { groupId, members } of groups)
      for (const member of members)
        if (member.clientId === clientId && isDone(await ask(broker, leaveGroup(groupId, member.memberId)))) evicted++;
    return evicted;
  } finally {
    await admin.disconnect();
  }
};
