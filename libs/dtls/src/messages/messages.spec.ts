import { describe, expect, it } from '@jest/globals';
import { AlertDescription } from '../alerts.js';
import { DecodeError, UnencodableMessage } from '../errors.js';
import { decodeAlert, encodeAlert } from './alert.js';
import { decodeCertificate, encodeCertificate } from './certificate.js';
import { decodeCertificateRequest, encodeCertificateRequest } from './certificate-request.js';
import { decodeCertificateVerify, encodeCertificateVerify } from './certificate-verify.js';
import { CHANGE_CIPHER_SPEC, decodeChangeCipherSpec } from './change-cipher-spec.js';
import { type ClientHello, decodeClientHello, encodeClientHello } from './client-hello.js';
import {
  decodeEcdheClientKeyExchange,
  decodePskClientKeyExchange,
  encodeEcdheClientKeyExchange,
  encodePskClientKeyExchange,
} from './client-key-exchange.js';
import { CertificateType, type HelloExtensions } from './extensions.js';
import { decodeFinished } from './finished.js';
import { decodeHelloVerifyRequest, encodeHelloVerifyRequest } from './hello-verify-request.js';
import { DTLS_1_2 } from './record.js';
import { decodeServerHello, encodeServerHello, type ServerHello } from './server-hello.js';
import { decodeServerHelloDone, SERVER_HELLO_DONE } from './server-hello-done.js';
import {
  decodeEcdheServerKeyExchange,
  decodePskServerKeyExchange,
  encodeEcdheServerKeyExchange,
  encodePskServerKeyExchange,
} from './server-key-exchange.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const filled = (bytes: number, value: number): Buffer => Buffer.alloc(bytes, value);

const clientExtensions: HelloExtensions = {
  supportedGroups: [23, 24],
  pointFormats: [0],
  signatureAlgorithms: [0x0403, 0x0401],
  clientCertificateTypes: [2, 0],
  serverCertificateTypes: [0, 2],
  encryptThenMac: true,
  extendedMasterSecret: true,
  recordSizeLimit: 64,
  connectionId: hex('c1d0'),
  renegotiationInfo: Buffer.alloc(0),
};

const clientHello: ClientHello = {
  version: DTLS_1_2,
  random: filled(32, 1),
  sessionId: hex('5e55'),
  cookie: hex('c00c1e'),
  cipherSuites: [0xc0a8, 0x00ff],
  extensions: clientExtensions,
};

const serverHello: ServerHello = {
  version: DTLS_1_2,
  random: filled(32, 2),
  sessionId: filled(32, 5),
  cipherSuite: 0xc0ae,
  extensions: {
    pointFormats: [0],
    clientCertificateTypes: [2],
    serverCertificateTypes: [0],
    encryptThenMac: true,
    extendedMasterSecret: true,
    recordSizeLimit: 16_385,
    connectionId: Buffer.alloc(0),
    renegotiationInfo: Buffer.alloc(0),
  },
};

const request = {
  certificateTypes: [64],
  signatureAlgorithms: [0x0403],
  authorities: [hex('3000'), hex('300101')],
};
const exchange = { publicKey: filled(65, 4), algorithm: 0x0403, signature: filled(70, 9) };
const [x509, rawPublicKey] = [CertificateType.X509, CertificateType.RawPublicKey];

/** A codec with a value and its bytes by the RFC, when they are short. */
interface Case<T = never> {
  decode(bytes: Buffer): T;
  encode(value: T): Buffer;
  value: T;
  bytes?: string;
  /** Shorter lengths that are valid too. */
  validLengths?: number[];
}

const of = <T>(given: Case<T>): Case => given as unknown as Case;

const cases: [name: string, given: Case][] = [
  // Without extensions a hello ends after its compression methods.
  ['ClientHello', of({ decode: decodeClientHello, encode: encodeClientHello, value: clientHello, validLengths: [49] })],
  [
    'ClientHello without extensions',
    of({
      decode: decodeClientHello,
      encode: encodeClientHello,
      value: { ...clientHello, sessionId: Buffer.alloc(0), cookie: Buffer.alloc(0), extensions: {} },
      bytes: `fefd ${'01'.repeat(32)} 00 00 0004 c0a8 00ff 01 00`,
    }),
  ],
  [
    'HelloVerifyRequest',
    of({
      decode: decodeHelloVerifyRequest,
      encode: encodeHelloVerifyRequest,
      value: { cookie: hex('0102') },
      bytes: 'fefd 02 0102',
    }),
  ],
  ['ServerHello', of({ decode: decodeServerHello, encode: encodeServerHello, value: serverHello, validLengths: [70] })],
  [
    'ServerHello with extensions',
    of({
      decode: decodeServerHello,
      encode: encodeServerHello,
      value: {
        ...serverHello,
        sessionId: Buffer.alloc(0),
        extensions: { serverCertificateTypes: [2], extendedMasterSecret: true as const, connectionId: hex('0a0b') },
      },
      bytes: `fefd ${'02'.repeat(32)} 00 c0ae 00 0010 0014 0001 02 0017 0000 0036 0003 02 0a0b`,
      validLengths: [38],
    }),
  ],
  [
    'Certificate',
    of({
      decode: (bytes) => decodeCertificate(bytes, x509),
      encode: (chain) => encodeCertificate(chain, x509),
      value: [hex('3001ff'), hex('3000')],
      bytes: '00000b 000003 3001ff 000002 3000',
    }),
  ],
  [
    'Certificate without certificates',
    of({
      decode: (bytes) => decodeCertificate(bytes, x509),
      encode: (chain) => encodeCertificate(chain, x509),
      value: [] as Buffer[],
      bytes: '000000',
    }),
  ],
  [
    'Certificate with a raw public key',
    of({
      decode: (bytes) => decodeCertificate(bytes, rawPublicKey),
      encode: (keys) => encodeCertificate(keys, rawPublicKey),
      value: [hex('3001ff')],
      bytes: '000003 3001ff',
    }),
  ],
  [
    'Certificate without a raw public key',
    of({
      decode: (bytes) => decodeCertificate(bytes, rawPublicKey),
      encode: (keys) => encodeCertificate(keys, rawPublicKey),
      value: [] as Buffer[],
      bytes: '000000',
    }),
  ],
  [
    'ServerKeyExchange of PSK',
    of({
      decode: decodePskServerKeyExchange,
      encode: encodePskServerKeyExchange,
      value: { identityHint: hex('616263') },
      bytes: '0003 616263',
    }),
  ],
  [
    'ServerKeyExchange of ECDHE',
    of({
      decode: decodeEcdheServerKeyExchange,
      encode: encodeEcdheServerKeyExchange,
      value: exchange,
      bytes: `03 0017 41 ${'04'.repeat(65)} 0403 0046 ${'09'.repeat(70)}`,
    }),
  ],
  [
    'CertificateRequest',
    of({
      decode: decodeCertificateRequest,
      encode: encodeCertificateRequest,
      value: request,
      bytes: '01 40 0002 0403 0009 0002 3000 0003 300101',
    }),
  ],
  [
    'ServerHelloDone',
    of({ decode: decodeServerHelloDone, encode: () => SERVER_HELLO_DONE, value: undefined, bytes: '' }),
  ],
  [
    'ClientKeyExchange of PSK',
    of({
      decode: decodePskClientKeyExchange,
      encode: encodePskClientKeyExchange,
      value: { identity: hex('6465') },
      bytes: '0002 6465',
    }),
  ],
  [
    'ClientKeyExchange of ECDHE',
    of({
      decode: decodeEcdheClientKeyExchange,
      encode: encodeEcdheClientKeyExchange,
      value: { publicKey: filled(65, 4) },
      bytes: `41 ${'04'.repeat(65)}`,
    }),
  ],
  [
    'CertificateVerify',
    of({
      decode: decodeCertificateVerify,
      encode: encodeCertificateVerify,
      value: { algorithm: 0x0403, signature: hex('3006') },
      bytes: '0403 0002 3006',
    }),
  ],
  ['Finished', of({ decode: decodeFinished, encode: (data) => data, value: filled(12, 7), bytes: '07'.repeat(12) })],
  [
    'alert',
    of({
      decode: decodeAlert,
      encode: encodeAlert,
      value: { level: 'fatal' as const, description: AlertDescription.HandshakeFailure },
      bytes: '02 28',
    }),
  ],
  [
    'ChangeCipherSpec',
    of({ decode: decodeChangeCipherSpec, encode: () => CHANGE_CIPHER_SPEC, value: undefined, bytes: '01' }),
  ],
];

const refusalOf = (decode: () => unknown): DecodeError => {
  try {
    decode();
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
  throw new Error('It was accepted');
};

describe.each(cases)('%s', (_, { decode, encode, value, bytes, validLengths = [] }) => {
  const encoded = encode(value);

  it('is written as the RFC says, and read back equal', () => {
    if (bytes !== undefined) expect(encoded.toString('hex')).toBe(hex(bytes).toString('hex'));
    expect(decode(encoded)).toEqual(value);
  });

  it('is refused with a DecodeError at every shorter length', () => {
    const accepted = [...encoded.keys()].filter((length) => {
      try {
        decode(encoded.subarray(0, length));
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError);
        return false;
      }
    });
    expect(accepted).toEqual(validLengths);
  });

  it('is refused with a trailing byte', () => {
    expect(refusalOf(() => decode(Buffer.concat([encoded, Buffer.alloc(1)]))).alert).toBe(AlertDescription.DecodeError);
  });

  it('is read or refused with a DecodeError, whatever one byte is', () => {
    for (let at = 0; at < encoded.length; at += 1) {
      for (const byte of [0, 1, 2, 0x7f, 0x80, 0xff]) {
        const changed = Buffer.from(encoded);
        changed[at] = byte;
        try {
          decode(changed);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }
    }
  });
});

describe('the extensions of a ClientHello', () => {
  const withExtensions = (list: string): Buffer => {
    const bytes = hex(list);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    return Buffer.concat([encodeClientHello({ ...clientHello, extensions: {} }), length, bytes]);
  };

  it('are written in the order of their numbers', () => {
    const plain = encodeClientHello({ ...clientHello, extensions: {} }).length;
    expect(encodeClientHello(clientHello).subarray(plain).toString('hex')).toBe(
      hex(
        `0042 000a 0006 0004 0017 0018  000b 0002 01 00  000d 0006 0004 0403 0401  0013 0003 02 02 00  0014 0003 02 00 02
         0016 0000  0017 0000  001c 0002 0040  0036 0003 02 c1d0  ff01 0001 00`.replaceAll(/\s/g, ''),
      ).toString('hex'),
    );
  });

  it('that are not known are ignored, server_name with any content too', () => {
    const { extensions } = decodeClientHello(withExtensions('0000 0003 ffffff 1a1a 0000 0017 0000'));
    expect(extensions).toEqual({ extendedMasterSecret: true });
  });

  it.each([
    ['a repeated extension', '0017 0000 0017 0000', AlertDescription.IllegalParameter],
    ['a repeated extension that is not known', '1a1a 0000 1a1a 0000', AlertDescription.IllegalParameter],
    ['a record size limit of one byte', '001c 0001 40', AlertDescription.DecodeError],
    ['a maximum fragment length of two bytes', '0001 0002 0101', AlertDescription.DecodeError],
    ['an extended master secret with content', '0017 0001 00', AlertDescription.DecodeError],
    ['encrypt-then-MAC with content', '0016 0001 00', AlertDescription.DecodeError],
    ['an extension of half a length', '0017 00', AlertDescription.DecodeError],
    ['a connection id that overruns its extension', '0036 0003 03 0a0b', AlertDescription.DecodeError],
    ['bytes after a connection id', '0036 0003 01 0a0b', AlertDescription.DecodeError],
    ['no connection id, not even an empty one', '0036 0000', AlertDescription.DecodeError],
    ['no group', '000a 0002 0000', AlertDescription.DecodeError],
    ['half a group', '000a 0003 0001 00', AlertDescription.DecodeError],
    ['no point format', '000b 0001 00', AlertDescription.DecodeError],
    ['no signature algorithm', '000d 0002 0000', AlertDescription.DecodeError],
    ['no certificate type', '0013 0001 00', AlertDescription.DecodeError],
  ])('%s is refused', (_, list, alert) => {
    expect(refusalOf(() => decodeClientHello(withExtensions(list))).alert).toBe(alert);
  });
});

describe('what is refused', () => {
  const changed = (bytes: Buffer, at: number, byte: number): Buffer => {
    const copy = Buffer.from(bytes);
    copy[at] = byte;
    return copy;
  };
  const plainClient = encodeClientHello({ ...clientHello, extensions: {} });
  const plainServer = encodeServerHello({ ...serverHello, sessionId: Buffer.alloc(0), extensions: {} });

  it.each([
    [
      'a ClientHello with compression only',
      () => decodeClientHello(changed(plainClient, plainClient.length - 1, 1)),
      47,
    ],
    ['a ServerHello with compression', () => decodeServerHello(changed(plainServer, plainServer.length - 1, 1)), 47],
    [
      'a ServerHello with an extension that is never offered',
      () => decodeServerHello(Buffer.concat([plainServer, hex('0004 0023 0000')])),
      110,
    ],
    [
      'a ServerHello with two certificate types',
      () => decodeServerHello(Buffer.concat([plainServer, hex('0006 0013 0002 0002')])),
      50,
    ],
    ['a HelloVerifyRequest of DTLS 1.3', () => decodeHelloVerifyRequest(hex('fefc 01 00')), 70],
    ['a HelloVerifyRequest without cookie', () => decodeHelloVerifyRequest(hex('fefd 00')), 50],
    ['a session id of 33 bytes', () => decodeClientHello(hex(`fefd ${'01'.repeat(32)} 21 ${'00'.repeat(60)}`)), 50],
    ['an empty certificate', () => decodeCertificate(hex('000003 000000'), x509), 50],
    ['a curve that is not secp256r1', () => decodeEcdheServerKeyExchange(hex('03 0018 01 04 0403 0001 00')), 47],
    ['an explicit curve', () => decodeEcdheServerKeyExchange(hex('01 0017 01 04 0403 0001 00')), 47],
    ['an empty point', () => decodeEcdheClientKeyExchange(hex('00')), 50],
    ['a Finished of 11 bytes', () => decodeFinished(filled(11, 7)), 50],
    ['an alert of level 3', () => decodeAlert(hex('03 00')), 47],
    ['a ChangeCipherSpec of 2', () => decodeChangeCipherSpec(hex('02')), 50],
  ])('%s', (_, decode, alert) => {
    expect(refusalOf(decode).alert).toBe(alert);
  });

  it('no bytes of the peer are in an error', () => {
    const error = refusalOf(() => decodePskClientKeyExchange(Buffer.from('\x00\x05secret-key')));
    expect(`${error.message} ${error.reason}`).not.toMatch(/secret|73/);
  });

  it.each([
    ['a cookie of 256 bytes', () => encodeHelloVerifyRequest({ cookie: filled(256, 0) })],
    ['a server that selects two types', () => encodeServerHello({ ...serverHello, extensions: clientExtensions })],
    ['two raw public keys', () => encodeCertificate([hex('30'), hex('30')], rawPublicKey)],
    ['an identity of 65,536 bytes', () => encodePskClientKeyExchange({ identity: filled(65_536, 0) })],
    ['a cipher suite of 17 bits', () => encodeServerHello({ ...serverHello, cipherSuite: 65_536 })],
  ])('%s cannot be written', (_, encode) => {
    expect(encode).toThrow(UnencodableMessage);
  });
});

describe('60,000 hostile messages', () => {
  /** Mulberry32: the same numbers on every machine. */
  const seeded = (seed: number) => (max: number) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * max);
  };

  it('are read or refused with a DecodeError, and what is read can be written back', () => {
    const below = seeded(6_347);
    const mutated = (valid: Buffer): Buffer => {
      const bytes = Buffer.from(valid);
      for (let change = below(3); change >= 0 && bytes.length > 0; change -= 1) bytes[below(bytes.length)] = below(256);
      return bytes.subarray(0, below(4) === 0 ? below(bytes.length + 1) : bytes.length);
    };
    let read = 0;
    for (let run = 0; run < 60_000; run += 1) {
      const [, { decode, encode, value }] = cases[run % cases.length]!;
      const bytes =
        run % 5 === 0 ? Buffer.from(Array.from({ length: below(60) }, () => below(256))) : mutated(encode(value));
      let message: never;
      try {
        message = decode(bytes);
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        continue;
      }
      read += 1;
      if (read % 20 === 0) expect(decode(encode(message))).toEqual(message);
    }
    expect(read).toBeGreaterThan(5_000);
  });
});
