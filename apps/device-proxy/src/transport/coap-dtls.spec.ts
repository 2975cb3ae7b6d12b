import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Code, type DatagramReceiver, encodeMessage } from '@lanyard/coap';
import type { ConnectionState } from '@lanyard/dtls';
import { createLogger, Metrics, newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { AdmissionControl } from './admission-control.js';
import { CoapDtls, type DtlsParts } from './coap-dtls.js';

const accountId = newId();
const credential = { id: newId() };
const id = '5bc1a9f2e07d3364';

const state: ConnectionState = {
  id,
  role: 'server',
  suite: 0xc0a8,
  keys: randomBytes(40),
  connectionId: Buffer.from(id, 'hex'),
  peerConnectionId: Buffer.alloc(0),
  sendSequence: 5,
  receivedMax: 3,
  sendBytesMax: 16_384,
  receiveBytesMax: 16_384,
  remote: { address: '192.0.2.1', port: 5_684 },
  peer: { kind: 'psk', identity: Buffer.from('device') },
};

/** A listener that is not bound; `confirmSession` asks Redis which replica has the session of a device. */
const listener = (confirmSession: DtlsParts['confirmSession'], clock = new TestClock(), idleMs = 60_000): CoapDtls => {
  const nothing = (): undefined => undefined;
  const later = (): Promise<void> => Promise.resolve();
  const parts = {
    host: '127.0.0.1',
    port: 0,
    receiveBufferBytes: 65_536,
    coapLimits: { uploadsPerAddressMax: 1 },
    dtlsLimits: {},
    idleMs,
    sharing: {
      connectionIdBytes: 8,
      newConnectionId: () => randomBytes(8),
      start: later,
      stop: later,
      closed: nothing,
      // Nothing leaves.
      maySend: () => false,
      sendThroughAnother: () => true,
    },
    authenticator: {
      onDisconnect: nothing,
      senderOfRestored: ({ peer }: ConnectionState) => ({
        accountId,
        ...(peer.kind === 'psk' && { deviceId: peer.identity.toString() }),
        credential,
      }),
      opened: nothing,
      closed: nothing,
    },
    isSuspended: () => false,
    isRegistered: () => false,
    confirmSession,
    admissionControl: new AdmissionControl({ requestsInFlightMax: 10 }, clock, new Metrics('test', 'test')),
    logger: createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
    clock,
  };
  return new CoapDtls(parts as unknown as DtlsParts);
};

describe('a DTLS connection that another replica has', () => {
  it.each([
    ['Redis has said whose the session is', () => Promise.resolve()],
    ['Redis does not say whose the session is', () => Promise.reject(new Error('Redis is away'))],
  ])('ends here when %s', async (_, confirmSession) => {
    const coapDtls = listener(confirmSession);
    const gone: string[] = [];
    coapDtls.onGone((_account, address) => gone.push(address));
    expect(coapDtls.restore({ state, credential }, 1)).toBe(true);
    await coapDtls.lose(id).catch(() => undefined);
    expect([coapDtls.connection(id), gone]).toEqual([undefined, [`coaps://${id}`]]);
    await coapDtls.transport.close();
  });
});

describe('a DTLS connection without a registration', () => {
  it.each([0, 3_600_000, -3_600_000])('ends after its time, however the clock is set: by %i ms', async (setMs) => {
    const clock = new TestClock();
    const coapDtls = listener(() => Promise.resolve(), clock);
    await coapDtls.start();
    coapDtls.restore({ state, credential }, 1);
    clock.adjust(setMs);
    await clock.advance(60_000);
    expect(coapDtls.connection(id)?.isOpen).toBe(true);
    await clock.advance(10_000);
    expect(coapDtls.connection(id)).toBeUndefined();
    await coapDtls.stop();
  });

  it('never ends before its time, also when that is not a multiple of the time between sweeps', async () => {
    const clock = new TestClock();
    const coapDtls = listener(() => Promise.resolve(), clock, 15_000);
    await coapDtls.start();
    await clock.advance(9_999);
    coapDtls.restore({ state, credential }, 1);
    await clock.advance(10_001);
    expect(coapDtls.connection(id)?.isOpen).toBe(true);
    await clock.advance(10_000);
    expect(coapDtls.connection(id)).toBeUndefined();
    await coapDtls.stop();
  });
});

describe('block-wise uploads over DTLS', () => {
  const block1 = { number: 27, value: Buffer.from([0x08]) };
  const firstBlock = encodeMessage({
    type: 'CON',
    code: Code.POST,
    messageId: 1,
    token: Buffer.from('token'),
    options: [{ number: 11, value: Buffer.from('rd') }, block1],
    payload: Buffer.alloc(16),
  });

  it('count together for all connections of a device', async () => {
    const coapDtls = listener(() => Promise.resolve());
    await coapDtls.start();
    const receiver = Reflect.get(coapDtls.transport, 'receiver') as DatagramReceiver;
    const uploadsAfterOneOf = (identity: string, connection: string): number => {
      const peer = { kind: 'psk', identity: Buffer.from(identity) } as const;
      const opened = { ...state, id: connection, connectionId: Buffer.from(connection, 'hex'), peer };
      coapDtls.restore({ state: opened, credential }, 1);
      receiver.receive(firstBlock, connection, `coaps://${connection}`, 0);
      return coapDtls.endpoint.gauges().uploads;
    };
    expect(uploadsAfterOneOf('device', '5bc1a9f2e07d3364')).toBe(1);
    expect(uploadsAfterOneOf('device', '5bc1a9f2e07d3365')).toBe(1);
    expect(uploadsAfterOneOf('another device', '5bc1a9f2e07d3366')).toBe(2);
    await coapDtls.stop();
  });
});
