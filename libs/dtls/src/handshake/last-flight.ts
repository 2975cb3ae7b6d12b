import { type PackedBytes, packBytes, unpackBytes } from '../crypto/packed-bytes.js';
import { CHANGE_CIPHER_SPEC } from '../messages/change-cipher-spec.js';
import { ContentType, encodePlainRecord } from '../messages/record.js';
import { type Epoch } from '../record/epoch.js';
import { type Repetitions } from './repetitions.js';

/**
 * A ChangeCipherSpec and a Finished: the end of a handshake, kept without the handshake. It is sent again when the peer shows
 * that it did not receive it.
 */
export class LastFlight {
  private readonly finished: PackedBytes;

  /**
   * @param finished The whole message.
   * @param plainSequence Sequence number of the next record of epoch 0.
   */
  constructor(
    finished: Buffer,
    private plainSequence: number,
    private readonly repetitions: Repetitions,
  ) {
    this.finished = packBytes(finished);
  }

  /** Called for each repetition of the peer's flight; true means that this flight is to be sent again now. */
  shouldRepeat(nowMs: number): boolean {
    return this.repetitions.shouldRepeat(nowMs);
  }

  /** The flight as one datagram, with new sequence numbers. @throws SequenceExhausted, StateNotSaved */
  seal(epoch: Epoch): Buffer {
    const changeCipherSpec = encodePlainRecord(ContentType.ChangeCipherSpec, this.plainSequence, CHANGE_CIPHER_SPEC);
    this.plainSequence += 1;
    return Buffer.concat([changeCipherSpec, epoch.seal(ContentType.Handshake, unpackBytes(this.finished))]);
  }
}
