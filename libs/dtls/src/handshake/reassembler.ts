import { type HandshakeFragment } from '../messages/handshake.js';

export interface HandshakeMessage {
  type: number;
  messageSequence: number;
  body: Buffer;
}

/** Limits for the messages of one handshake that cannot be handled yet. */
export interface ReassemblyLimits {
  /** How far ahead of the next message a message may be. */
  messagesAheadMax: number;
  /** Bytes held in fragments, of all messages together. */
  bytesMax: number;
  fragmentsMax: number;
}

/** Flights have at most 6 messages; 32 KiB hold the largest message twice; 600 fragments hold it in slices of 54 bytes. */
const DEFAULT_REASSEMBLY: ReassemblyLimits = { messagesAheadMax: 8, bytesMax: 32_768, fragmentsMax: 600 };

interface Slice {
  offset: number;
  bytes: Buffer;
}

interface PartialMessage {
  type: number;
  length: number;
  /** In the order of their offsets; slices do not overlap, and none is empty. */
  slices: Slice[];
  heldBytes: number;
}

/**
 * Reassembles handshake messages from fragments that arrive in any order, repeated, overlapping, or in other sizes when they are
 * retransmitted, and returns the messages in order (RFC 6347 §4.2.2, §4.2.3). It holds no more than what arrived: the length that
 * a fragment announces allocates nothing.
 */
export class Reassembler {
  private readonly partials = new Map<number, PartialMessage>();
  private heldBytes = 0;
  private slices = 0;

  constructor(
    /** Sequence number of the next message to return. */
    private nextSequence: number,
    private readonly limits: ReassemblyLimits = DEFAULT_REASSEMBLY,
  ) {}

  get next(): number {
    return this.nextSequence;
  }

  /** Adds a fragment, unless its message was already returned or is too far ahead, it contradicts others, or there is no room. */
  add(given: HandshakeFragment): void {
    const ahead = given.messageSequence - this.nextSequence;
    if (ahead < 0 || ahead > this.limits.messagesAheadMax) return;
    const partial = this.partialFor(given);
    if (partial.type !== given.type || partial.length !== given.length) return;
    for (const slice of missingSlices(partial.slices, given)) this.hold(partial, slice);
  }

  /** The next message, once it is complete. */
  takeMessage(): HandshakeMessage | undefined {
    const messageSequence = this.nextSequence;
    const partial = this.partials.get(messageSequence);
    if (partial === undefined || partial.heldBytes < partial.length) return undefined;
    this.drop(messageSequence, partial);
    this.nextSequence += 1;
    const body = partial.slices.length === 1 ? partial.slices[0]!.bytes : Buffer.concat(partial.slices.map(bytesOf));
    return { type: partial.type, messageSequence, body };
  }

  /** Discards the fragments of messages of other types. */
  keepOnly(type: number): void {
    for (const [messageSequence, partial] of this.partials)
      if (partial.type !== type) this.drop(messageSequence, partial);
  }

  private drop(messageSequence: number, { heldBytes, slices }: PartialMessage): void {
    this.partials.delete(messageSequence);
    this.heldBytes -= heldBytes;
    this.slices -= slices.length;
  }

  private partialFor({ messageSequence, type, length }: HandshakeFragment): PartialMessage {
    const known = this.partials.get(messageSequence);
    if (known !== undefined) return known;
    const partial: PartialMessage = { type, length, slices: [], heldBytes: 0 };
    this.partials.set(messageSequence, partial);
    return partial;
  }

  private hold(partial: PartialMessage, slice: Slice): void {
    const { bytesMax, fragmentsMax } = this.limits;
    if (this.heldBytes + slice.bytes.length > bytesMax || this.slices >= fragmentsMax) return;
    const at = partial.slices.findIndex(({ offset }) => offset > slice.offset);
    partial.slices.splice(at < 0 ? partial.slices.length : at, 0, { ...slice, bytes: Buffer.from(slice.bytes) });
    partial.heldBytes += slice.bytes.length;
    this.heldBytes += slice.bytes.length;
    this.slices += 1;
  }
}

const bytesOf = ({ bytes }: Slice) => bytes;

/** The parts of a fragment that are not held yet: bytes that arrived first stay. */
function missingSlices(held: readonly Slice[], { offset, fragment }: HandshakeFragment): Slice[] {
  const missing: Slice[] = [];
  const end = offset + fragment.length;
  let at = offset;
  for (const slice of held) {
    if (at >= end) break;
    const heldEnd = slice.offset + slice.bytes.length;
    if (heldEnd <= at) continue;
    if (slice.offset > at) missing.push({ offset: at, bytes: fragment.subarray(at - offset, slice.offset - offset) });
    at = Math.max(at, heldEnd);
  }
  if (at < end) missing.push({ offset: at, bytes: fragment.subarray(at - offset) });
  return missing.filter(({ bytes }) => bytes.length > 0);
}
