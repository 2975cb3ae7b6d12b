import { AlertDescription } from '../alerts.js';
import { type CipherSuite } from '../crypto/suites.js';
import { DecodeError } from '../errors.js';
import { PLAINTEXT_BYTES_MAX } from '../limits.js';
import {
  CertificateType,
  type HelloExtensions,
  NamedGroup,
  PointFormat,
  SignatureAlgorithm,
} from '../messages/extensions.js';
import { DTLS_1_2, NO_CONNECTION_ID } from '../messages/record.js';
import { type ServerHello } from '../messages/server-hello.js';
import { type Authenticate, type OwnCertificate } from './credentials.js';
import { checkRecordSizeLimit, type Negotiated } from './negotiated.js';
import { type Session } from './session-cache.js';

/** What a client brings to the negotiation. */
export interface ClientParameters {
  /** In order of preference. */
  suites: readonly CipherSuite[];
  psk?: { identity: Buffer; key: Buffer };
  certificate?: OwnCertificate;
  /** Raw public keys both ways instead of certificates (RFC 7250). */
  rawPublicKeys: boolean;
  /** Checks the server's credential, except a pre-shared key. */
  authenticate?: Authenticate;
  /** The id on records that arrive here; empty: none, but the server may use one. Undefined: the extension is not sent. */
  connectionId?: Buffer;
  recordSizeLimit?: number;
  extendedMasterSecret: boolean;
  /** The session to resume. */
  session?: Session;
}

export function clientExtensions(parameters: ClientParameters): HelloExtensions {
  const { suites, connectionId, recordSizeLimit, rawPublicKeys } = parameters;
  const extensions: HelloExtensions = { renegotiationInfo: Buffer.alloc(0) };
  if (parameters.extendedMasterSecret) extensions.extendedMasterSecret = true;
  if (suites.some((suite) => suite.requiresEncryptThenMac)) extensions.encryptThenMac = true;
  if (connectionId !== undefined) extensions.connectionId = connectionId;
  if (recordSizeLimit !== undefined) extensions.recordSizeLimit = recordSizeLimit;
  if (suites.every(({ keyExchange }) => keyExchange === 'psk')) return extensions;
  extensions.supportedGroups = [NamedGroup.Secp256r1];
  extensions.pointFormats = [PointFormat.Uncompressed];
  extensions.signatureAlgorithms = [SignatureAlgorithm.EcdsaSha256];
  if (!rawPublicKeys) return extensions;
  extensions.clientCertificateTypes = [CertificateType.RawPublicKey];
  extensions.serverCertificateTypes = [CertificateType.RawPublicKey];
  return extensions;
}

/**
 * Checks that a server selected only what was offered.
 * @throws DecodeError with the alert that names the problem
 */
export function acceptServerHello(
  hello: ServerHello,
  offered: HelloExtensions,
  parameters: ClientParameters,
): Negotiated {
  const { extensions: selected } = hello;
  if (hello.version !== DTLS_1_2) throw refusal('version', AlertDescription.ProtocolVersion);
  const suite = parameters.suites.find(({ id }) => id === hello.cipherSuite);
  if (suite === undefined) throw refusal('a cipher suite that was not offered', AlertDescription.IllegalParameter);
  if (Object.keys(selected).some((name) => !(name in offered))) {
    throw refusal('an extension that was not offered', AlertDescription.UnsupportedExtension);
  }
  if (suite.requiresEncryptThenMac && selected.encryptThenMac !== true) {
    throw refusal('MAC-then-encrypt', AlertDescription.HandshakeFailure);
  }
  if ((selected.renegotiationInfo?.length ?? 0) > 0) {
    throw refusal('renegotiation_info of a first handshake', AlertDescription.HandshakeFailure);
  }
  checkRecordSizeLimit(selected.recordSizeLimit);
  const withIds = selected.connectionId !== undefined;
  const limited = selected.recordSizeLimit !== undefined;
  return {
    suite,
    extendedMasterSecret: selected.extendedMasterSecret === true,
    ownConnectionId: withIds ? offered.connectionId! : NO_CONNECTION_ID,
    peerConnectionId: withIds ? Buffer.from(selected.connectionId!) : NO_CONNECTION_ID,
    sendBytesMax: Math.min(selected.recordSizeLimit ?? PLAINTEXT_BYTES_MAX, PLAINTEXT_BYTES_MAX),
    receiveBytesMax: limited ? offered.recordSizeLimit! : PLAINTEXT_BYTES_MAX,
    serverCertificateType: selectedType(selected.serverCertificateTypes, offered.serverCertificateTypes),
    clientCertificateType: selectedType(selected.clientCertificateTypes, offered.clientCertificateTypes),
  };
}

/** If the server does not answer the extension, the type is X.509. */
function selectedType(selected: readonly number[] = [CertificateType.X509], offered?: readonly number[]): number {
  const type = selected[0]!;
  if (offered !== undefined && !offered.includes(type)) {
    throw refusal('a certificate type that was not offered', AlertDescription.UnsupportedCertificate);
  }
  return type;
}

const refusal = (text: string, alert: number) => new DecodeError(`ServerHello: ${text}`, alert);
