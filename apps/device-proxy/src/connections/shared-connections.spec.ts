import { describe, expect, it } from '@jest/globals';
import type { StopDeadline } from '@lanyard/service';
import type { DtlsHost } from '../transport/connection-sharing.js';
import type { OwnedConnections } from './owned-connections.js';
import type { PeerMessage } from './peer-message.js';
import type { PeerPort } from './peer-port.js';
import type { RecordForwarder } from './record-forwarder.js';
import type { ReplicaEvents } from './replica-events.js';
import type { ReplicaSlots } from './replica-slots.js';
import { SharedConnections } from './shared-connections.js';

const id = '5bc1a9f2e07d3364';
const address = { address: '192.0.2.1', port: 5_684 };
const record = Buffer.from(`19fefd0001000000000007${id}0004a1a2a3a4`, 'hex');
/** The end of a handshake that a device repeats: a ChangeCipherSpec without an id, and its Finished with one. */
const repeatedFlight = Buffer.concat([Buffer.from('14fefd0000000000000004000101', 'hex'), record]);

/** A replica that doubts the connection, and the ids whose records it looks up. */
const replica = async () => {
  const lookedUp: string[] = [];
  const nothing = (): undefined => undefined;
  let fromPeer: (message: PeerMessage) => void = nothing;
  const open = (onMessage: (message: PeerMessage) => void): Promise<undefined> => {
    fromPeer = onMessage;
    return Promise.resolve(undefined);
  };
  const lookUp = (one: string): void => void lookedUp.push(one);
  const shared = new SharedConnections(
    { connectionIdBytes: 8, hold: () => Promise.resolve() } as unknown as ReplicaSlots,
    { open } as unknown as PeerPort,
    { start: nothing, hasDoubts: true, isDoubted: (one: string) => one === id } as unknown as OwnedConnections,
    { start: nothing, receiveDoubted: lookUp } as unknown as RecordForwarder,
    { count: nothing } as unknown as ReplicaEvents,
    {} as unknown as StopDeadline,
  );
  await shared.start({} as unknown as DtlsHost);
  const sendBack = (payload: Buffer): void =>
    fromPeer({ kind: 'not-here', owner: '1:00', sequence: 1, timeMs: 0, address, payload });
  return { shared, lookedUp, sendBack };
};

describe('a datagram whose connection is not here, or doubted', () => {
  it.each([
    ['with a connection id', record],
    ['with an id in the second record only', repeatedFlight],
  ])('%s is looked up by it', async (_, datagram) => {
    const { shared, lookedUp, sendBack } = await replica();
    sendBack(datagram);
    expect(lookedUp).toEqual([id]);
    expect(shared.admits(datagram, address)).toBe(false);
    expect(lookedUp).toEqual([id, id]);
  });

  it('without an id leads to no lookup', async () => {
    const { shared, lookedUp, sendBack } = await replica();
    const datagram = repeatedFlight.subarray(0, -record.length);
    sendBack(datagram);
    expect([shared.admits(datagram, address), lookedUp]).toEqual([true, []]);
  });
});
