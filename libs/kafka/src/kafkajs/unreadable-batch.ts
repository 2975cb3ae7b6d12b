/** The codec in the attributes of a batch (Kafka protocol, "RecordBatch"). kafkajs decompresses gzip alone. */
const codecMask = 0x07;
const gzip = 1;
const codecs: readonly (string | undefined)[] = [undefined, 'gzip', 'Snappy', 'LZ4', 'Zstandard'];

const transactional = 0x10;

/** Positions in a batch: of its last offset, counted from its first one, of its latest time, and of its producer. */
const [lastDeltaAt, maxTimestampAt, producerIdAt] = [23, 35, 43] as const;

/** The offset of the last message of the batch that begins at a position. */
export const lastOffsetOf = (bytes: Buffer, batch = 0): string =>
  String(bytes.readBigInt64BE(batch) + BigInt(bytes.readInt32BE(batch + lastDeltaAt)));

export const isUnreadable = (attributes: number): boolean => (attributes & codecMask) > gzip;

/**
 * A batch that kafkajs cannot decompress, in place of its messages: kafkajs would end the consumer, and with it the process, again
 * after each restart. Its value is the whole batch, and its offset that of the last message.
 */
export class UnreadableBatch {
  readonly magicByte = 2;
  readonly isControlRecord = false;
  readonly attributes = 0;
  readonly key = null;
  readonly headers = {};
  readonly offset: string;
  readonly timestamp: string;
  readonly batchContext: { inTransaction: boolean; producerId: string };
  readonly problem: string;

  constructor(
    readonly value: Buffer,
    attributes: number,
  ) {
    this.offset = lastOffsetOf(value);
    this.timestamp = String(value.readBigInt64BE(maxTimestampAt));
    const producerId = String(value.readBigInt64BE(producerIdAt));
    this.batchContext = { inTransaction: (attributes & transactional) !== 0, producerId };
    const codec = attributes & codecMask;
    const name = codecs[codec] ?? `codec ${codec}`;
    this.problem = `a batch compressed with ${name}, which cannot be read: only gzip can`;
  }
}
