import { encodeEmpty } from '../codec/encode.js';
import { type CoapMessage } from '../codec/message.js';
import { type BoundedTable } from '../memory/bounded-table.js';
import { tokenKey } from '../codec/tokens.js';
import { type CoapClock } from '../timing/clock.js';
import { EMPTY_ACK, fingerprintOf, isAnswerTo, type KnownMarks, type RememberedAnswer } from './answer-ring.js';
import { type PeerState } from './peer-state.js';
import { type Peer } from '../messages/peer.js';

/** Remembers which answer a message got: in the ring of a peer with state, in one bounded table for all others. */
export class AnswerMemory {
  constructor(
    private readonly unknownPeers: BoundedTable<string, RememberedAnswer>,
    private readonly perPeerMax: number,
    private readonly clock: CoapClock,
  ) {}

  /** The bytes to send again, when the message is a duplicate. */
  find(message: CoapMessage, peer: Peer, state: PeerState | undefined): Buffer | undefined {
    const answer = state?.answers.find(message, this.clock.nowMs()) ?? this.ofUnknownPeer(message, peer);
    if (answer === undefined) return undefined;
    return answer === EMPTY_ACK ? encodeEmpty('ACK', message.messageId) : Buffer.from(answer, 'latin1');
  }

  /** @param answer the bytes that were sent, or EMPTY_ACK */
  remember(
    message: CoapMessage,
    peer: Peer,
    state: PeerState | undefined,
    answer: Buffer | typeof EMPTY_ACK,
    marks?: KnownMarks,
  ): void {
    const { messageId } = message;
    const text = typeof answer === 'string' ? answer : answer.toString('latin1');
    const entry = {
      messageId,
      token: marks?.token ?? tokenKey(message.token),
      print: marks?.print ?? fingerprintOf(message),
      answer: text,
      atMs: Math.floor(this.clock.nowMs()),
    };
    if (state !== undefined) state.answers.remember(entry, this.perPeerMax);
    else this.unknownPeers.set(`${peer.key}/${messageId}`, entry);
  }

  /** A peer that is known by now may have been unknown when it sent the first copy. */
  private ofUnknownPeer(message: CoapMessage, peer: Peer): string | undefined {
    if (this.unknownPeers.size === 0) return undefined;
    const entry = this.unknownPeers.get(`${peer.key}/${message.messageId}`);
    return entry !== undefined && isAnswerTo(entry, message, this.clock.nowMs()) ? entry.answer : undefined;
  }
}
