import { describe, expect, it } from '@jest/globals';
import { type CoapMessage } from '../codec/message.js';
import { PeerForgotten } from '../errors.js';
import { PeerState } from '../peer/peer-state.js';
import { peerOf } from '../messages/peer.js';
import { InFlightTable } from './in-flight.js';
import { DEFAULT_LIMITS } from '../limits.js';

const peer = peerOf('10.0.0.7', 5683);

const message = (messageId: number, payload = 'v'): CoapMessage => ({
  type: 'CON',
  code: 69,
  messageId,
  token: Buffer.from([1]),
  options: [],
  payload: Buffer.from(payload),
});

const table = (limits = {}): InFlightTable => new InFlightTable({ ...DEFAULT_LIMITS, ...limits });
const known = (): PeerState => new PeerState(peer, 0);

describe('messages whose handler runs', () => {
  it('are found by their duplicates until they end, with state and without', () => {
    for (const state of [known(), undefined]) {
      const inFlight = table();
      const one = inFlight.begin(peer, state, message(1), 'notification');
      const other = inFlight.begin(peer, state, message(2), 'request');
      expect(inFlight.find(peer, state, message(1))).toBe(one);
      expect(inFlight.find(peer, state, message(1, 'another value'))).toBeUndefined();
      inFlight.remove(peer, state, one);
      inFlight.remove(peer, state, one);
      expect(inFlight.find(peer, state, message(1))).toBeUndefined();
      expect(inFlight.find(peer, state, message(2))).toBe(other);
      expect([inFlight.count('notification'), inFlight.count('request')]).toEqual([0, 1]);
      inFlight.remove(peer, state, other);
      expect(inFlight.count('request')).toBe(0);
    }
  });

  it('are not found by requests with other options', () => {
    const inFlight = table();
    const asked = (query: string) => ({ ...message(1), code: 2, options: [{ number: 15, value: Buffer.from(query) }] });
    const one = inFlight.begin(peer, undefined, asked('ep=one'), 'request');
    expect(inFlight.find(peer, undefined, asked('ep=one'))).toBe(one);
    expect(inFlight.find(peer, undefined, asked('ep=two'))).toBeUndefined();
  });

  it('are found when their peer was forgotten meanwhile, and when it is known again', () => {
    const inFlight = table();
    const state = known();
    const one = inFlight.begin(peer, state, message(1), 'notification');
    state.abandon(new PeerForgotten());
    inFlight.moveToUnknownPeers(state);
    expect(inFlight.find(peer, undefined, message(1))).toBe(one);
    expect(inFlight.find(peer, known(), message(1))).toBe(one);
    inFlight.remove(peer, state, one);
    expect(inFlight.find(peer, undefined, message(1))).toBeUndefined();
    expect(inFlight.count('notification')).toBe(0);
  });

  it('are found when their peer became known meanwhile', () => {
    const inFlight = table();
    const one = inFlight.begin(peer, undefined, message(1), 'request');
    const two = inFlight.begin(peer, known(), message(2), 'request');
    expect(inFlight.find(peer, known(), message(1))).toBe(one);
    inFlight.remove(peer, undefined, one);
    expect(inFlight.find(peer, known(), message(1))).toBeUndefined();
    expect(two.message.messageId).toBe(2);
  });

  it('begun for a peer that was forgotten before are found too', () => {
    const inFlight = table();
    const state = known();
    state.abandon(new PeerForgotten());
    const one = inFlight.begin(peer, state, message(1), 'notification');
    expect(inFlight.find(peer, undefined, message(1))).toBe(one);
    inFlight.remove(peer, state, one);
    expect(inFlight.count('notification')).toBe(0);
  });

  it('are limited in total and per peer, wherever they are kept', () => {
    const inFlight = table({ notificationsInFlightPerPeerMax: 2, notificationsInFlightMax: 3 });
    const state = known();
    inFlight.begin(peer, undefined, message(1), 'notification');
    expect(inFlight.hasRoom(peer, state, 'notification')).toBe(true);
    inFlight.begin(peer, state, message(2), 'notification');
    expect(inFlight.hasRoom(peer, state, 'notification')).toBe(false);
    expect(inFlight.hasRoom(peer, state, 'request')).toBe(true);
    const other = peerOf('10.0.0.8', 5683);
    expect(inFlight.hasRoom(other, undefined, 'notification')).toBe(true);
    inFlight.begin(other, undefined, message(3), 'notification');
    expect(inFlight.hasRoom(peerOf('10.0.0.9', 5683), undefined, 'notification')).toBe(false);
  });
});
