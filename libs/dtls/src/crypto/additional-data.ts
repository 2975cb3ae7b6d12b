import { CONNECTION_ID_BYTES_MAX } from '../limits.js';
import { ContentType, DTLS_1_2, type RecordHeader, writeRecordNumber } from '../messages/record.js';

const PLACEHOLDER_BYTES = 8;
const ID_OFFSET = 21;

/** Filled and consumed within one call of the record protection. */
const scratch = Buffer.alloc(ID_OFFSET + CONNECTION_ID_BYTES_MAX + 2);

/**
 * The data that is authenticated beside the content: record number, type, version and length (RFC 6347 §4.1.2.1). With a connection
 * id it has the order of RFC 9146 §5, after a placeholder that no record number equals. Valid until the next call.
 */
export function additionalData(header: RecordHeader, bytes: number): Buffer {
  if (header.type !== ContentType.ConnectionId) {
    writeRecordNumber(scratch, 0, header);
    scratch[8] = header.type;
    scratch.writeUInt16BE(DTLS_1_2, 9);
    scratch.writeUInt16BE(bytes, 11);
    return scratch.subarray(0, 13);
  }
  const { connectionId } = header;
  scratch.fill(0xff, 0, PLACEHOLDER_BYTES);
  scratch[8] = ContentType.ConnectionId;
  scratch[9] = connectionId.length;
  scratch[10] = ContentType.ConnectionId;
  scratch.writeUInt16BE(DTLS_1_2, 11);
  writeRecordNumber(scratch, 13, header);
  connectionId.copy(scratch, ID_OFFSET);
  const end = ID_OFFSET + connectionId.length;
  scratch.writeUInt16BE(bytes, end);
  return scratch.subarray(0, end + 2);
}
