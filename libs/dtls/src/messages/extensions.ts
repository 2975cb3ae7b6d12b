import { AlertDescription } from '../alerts.js';
import { DecodeError, UnencodableMessage } from '../errors.js';
import { Reader } from './reader.js';
import { uint16, uint16List, uint8, uint8List, vector16, vector8 } from './writer.js';

/** The extensions of a hello that this library knows. All others, for example server_name, are ignored in a ClientHello. */
export interface HelloExtensions {
  /** RFC 7627. */
  extendedMasterSecret?: true;
  /** RFC 7366. */
  encryptThenMac?: true;
  /** `renegotiated_connection`, empty in a first handshake (RFC 5746 §3.2). */
  renegotiationInfo?: Buffer;
  /** The id that the sender wants on the records it receives; empty: none, but it can send with one (RFC 9146 §3). */
  connectionId?: Buffer;
  /** Largest plaintext of a protected record that the sender accepts (RFC 8449 §4). */
  recordSizeLimit?: number;
  /** 1 to 4: plaintexts of 512 to 4,096 bytes in all records (RFC 6066 §4). */
  maxFragmentLength?: number;
  /** `NamedGroup`s, in order of preference (RFC 8422 §5.1.1). */
  supportedGroups?: number[];
  /** RFC 8422 §5.1.2. */
  pointFormats?: number[];
  /** `SignatureAlgorithm`s, in order of preference (RFC 5246 §7.4.1.4.1). */
  signatureAlgorithms?: number[];
  /** `CertificateType`s that the client can send; in a ServerHello the one selected (RFC 7250 §3). */
  clientCertificateTypes?: number[];
  /** `CertificateType`s that the client can process; in a ServerHello the one selected. */
  serverCertificateTypes?: number[];
}

export const NamedGroup = { Secp256r1: 23 } as const;
export const PointFormat = { Uncompressed: 0 } as const;
/** Hash and signature algorithm as one number. */
export const SignatureAlgorithm = { EcdsaSha256: 0x0403 } as const;
/** RFC 7250 §7. */
export const CertificateType = { X509: 0, RawPublicKey: 2 } as const;

type HelloSide = 'client' | 'server';
type ExtensionName = keyof HelloExtensions;

interface ExtensionCodec {
  type: number;
  read(data: Reader, side: HelloSide, into: HelloExtensions): void;
  write(from: HelloExtensions, side: HelloSide): Buffer | undefined;
}

function codec<Name extends ExtensionName>(
  name: Name,
  type: number,
  read: (data: Reader, side: HelloSide) => NonNullable<HelloExtensions[Name]>,
  write: (value: NonNullable<HelloExtensions[Name]>, side: HelloSide) => Buffer,
): ExtensionCodec {
  return {
    type,
    read: (data, side, into) => (into[name] = read(data, side)),
    write: (from, side) => {
      const value = from[name];
      return value === undefined ? undefined : write(value, side);
    },
  };
}

const EMPTY = Buffer.alloc(0);
const isPresent = (): true => true;
const nothing = (): Buffer => EMPTY;
const readOpaque = (data: Reader): Buffer => data.vector8();
const writeOpaque = (value: Buffer): Buffer => vector8(value);
const readNumbers16 = (data: Reader): number[] => data.uint16List(1);

/**
 * A size that the peer may not ask for is read as well: `negotiate` refuses it with an alert, which a server sends only after the
 * cookie.
 */
const CODECS: readonly ExtensionCodec[] = [
  codec('maxFragmentLength', 1, (data) => data.uint8(), uint8),
  codec('supportedGroups', 10, readNumbers16, uint16List),
  codec('pointFormats', 11, (data) => data.uint8List(1), uint8List),
  codec('signatureAlgorithms', 13, readNumbers16, uint16List),
  codec('clientCertificateTypes', 19, readCertificateTypes, writeCertificateTypes),
  codec('serverCertificateTypes', 20, readCertificateTypes, writeCertificateTypes),
  codec('encryptThenMac', 22, isPresent, nothing),
  codec('extendedMasterSecret', 23, isPresent, nothing),
  codec('recordSizeLimit', 28, (data) => data.uint16(), uint16),
  codec('connectionId', 54, readOpaque, writeOpaque),
  codec('renegotiationInfo', 0xff01, readOpaque, writeOpaque),
];

const CODEC_OF_TYPE = new Map(CODECS.map((codec) => [codec.type, codec]));

function readCertificateTypes(data: Reader, side: HelloSide): number[] {
  return side === 'client' ? data.uint8List(1) : [data.uint8()];
}

function writeCertificateTypes(values: number[], side: HelloSide): Buffer {
  if (side === 'client') return uint8List(values);
  if (values.length !== 1) throw new UnencodableMessage('A server selects one certificate type');
  return uint8(values[0]!);
}

/**
 * Reads what follows the compression methods: nothing, or the list of extensions. An extension that is not known here was not
 * offered either, so a server may not select it.
 * @throws DecodeError
 */
export function readExtensions(hello: Reader, side: HelloSide): HelloExtensions {
  const extensions: HelloExtensions = {};
  if (hello.remaining === 0) return extensions;
  const list = new Reader(hello.vector16(), 'extensions');
  const seen = new Set<number>();
  while (list.remaining > 0) {
    const type = list.uint16();
    const data = new Reader(list.vector16(), 'extensions');
    if (seen.has(type)) throw new DecodeError('extensions: repeated type', AlertDescription.IllegalParameter);
    seen.add(type);
    const codec = CODEC_OF_TYPE.get(type);
    if (codec === undefined) {
      if (side === 'server') throw new DecodeError('extensions: not offered', AlertDescription.UnsupportedExtension);
      continue;
    }
    codec.read(data, side, extensions);
    data.expectEnd();
  }
  return extensions;
}

/** The list with its length, or nothing when there are no extensions. @throws UnencodableMessage */
export function encodeExtensions(extensions: HelloExtensions, side: HelloSide): Buffer {
  const parts = CODECS.flatMap((codec) => {
    const data = codec.write(extensions, side);
    return data === undefined ? [] : [uint16(codec.type), vector16(data)];
  });
  return parts.length === 0 ? EMPTY : vector16(...parts);
}
