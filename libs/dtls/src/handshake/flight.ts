import { ContentType } from '../messages/record.js';
import { fragmentHandshake } from '../messages/handshake.js';

/**
 * A part of a flight, which is what one side sends before it waits for the other (RFC 6347 §4.2.4): a handshake message
 * with its header, or a ChangeCipherSpec.
 */
export interface FlightItem {
  epoch: 0 | 1;
  /** A `ContentType`. */
  type: number;
  content: Buffer;
}

/** The sending half of an epoch, as far as flights need it. */
export interface Sealer {
  seal(type: number, plaintext: Buffer): Buffer;
  readonly contentBytesMax: number;
}

/** More than any header with its connection id and any protection of the suites adds; a longer id only causes another fragment. */
const RECORD_OVERHEAD_BYTES = 96;

/** Size of datagrams whose records have at most this much plaintext. */
export const datagramBytesFor = (plaintextBytes: number): number => plaintextBytes + RECORD_OVERHEAD_BYTES;

/**
 * Seals a flight into datagrams of at most `datagramBytesMax`: records share a datagram while there is room, and a larger message
 * is fragmented. Each call uses new sequence numbers, as a retransmission must.
 */
export function packFlight(
  flight: readonly FlightItem[],
  epochs: readonly [Sealer, Sealer | undefined],
  datagramBytesMax: number,
): Buffer[] {
  const datagrams: Buffer[][] = [];
  let room = 0;
  for (const { epoch, type, content } of flight) {
    const sealer = epochs[epoch]!;
    const bytesMax = Math.min(datagramBytesMax - RECORD_OVERHEAD_BYTES, sealer.contentBytesMax);
    const fragments = type === ContentType.Handshake ? fragmentHandshake(content, bytesMax) : [content];
    for (const fragment of fragments) {
      const record = sealer.seal(type, fragment);
      if (record.length > room) {
        datagrams.push([]);
        room = datagramBytesMax;
      }
      datagrams.at(-1)!.push(record);
      room -= record.length;
    }
  }
  return datagrams.map((records) => (records.length === 1 ? records[0]! : Buffer.concat(records)));
}
