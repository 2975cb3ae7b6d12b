import { deriveKeys } from '../src/crypto/key-block.js';
import { masterSecret, pskPreMasterSecret } from '../src/crypto/master-secret.js';
import { createProtection } from '../src/crypto/protection.js';
import { cipherSuite } from '../src/crypto/suites.js';
import { type ConnectionState } from '../src/index.js';
import { packBytes } from '../src/crypto/packed-bytes.js';
import { decodeHandshakeFragments, type HandshakeFragment } from '../src/messages/handshake.js';
import { decodeRecord, type WireRecord } from '../src/messages/record.js';
import { decodeServerHello } from '../src/messages/server-hello.js';
import { Epoch, type OpenedRecord, type Refusal } from '../src/record/epoch.js';
import { KEY, PSK_CCM_8 } from './peers.js';

const SUITE = cipherSuite(PSK_CCM_8)!;
/** Above what a connection has used after its handshake, and within a replay window of what follows. */
const FORGED_SEQUENCE = 20;

/** The epoch of a client that has a pre-shared key and no extended master secret, from the ServerHello that it got. */
export function epochOfClient(clientRandom: Buffer, serverHello: WireRecord, key: Buffer = KEY): Epoch {
  const [message] = decodeHandshakeFragments(serverHello.fragment) as [HandshakeFragment];
  const hello = decodeServerHello(message.fragment);
  const serverRandom = Buffer.from(hello.random);
  const secret = masterSecret(pskPreMasterSecret(key), clientRandom, serverRandom);
  const keys = deriveKeys(SUITE, secret, clientRandom, serverRandom);
  const sendConnectionId = hello.extensions.connectionId && Buffer.from(hello.extensions.connectionId);
  return new Epoch({ number: 1, protection: createProtection(SUITE, keys, 'client'), sendConnectionId });
}

/** What the peer of a connection would send: its sending half, made from the state of the connection. */
export function epochOfPeer(state: ConnectionState, sendSequence = FORGED_SEQUENCE): Epoch {
  const role = state.role === 'server' ? 'client' : 'server';
  return new Epoch({
    number: 1,
    protection: createProtection(cipherSuite(state.suite)!, packBytes(state.keys), role),
    sendConnectionId: state.connectionId,
    sendSequence,
  });
}

/** What the owner of a state reads in a datagram of one record. */
export function openedBy(state: ConnectionState, datagram: Buffer): OpenedRecord | Refusal {
  const protection = createProtection(cipherSuite(state.suite)!, packBytes(state.keys), state.role);
  const epoch = new Epoch({ number: 1, protection, receiveConnectionId: state.connectionId });
  return epoch.open(decodeRecord(datagram, 0, state.connectionId.length)!);
}
