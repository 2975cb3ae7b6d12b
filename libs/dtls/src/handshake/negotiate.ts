import { AlertDescription } from '../alerts.js';
import { type CipherSuite } from '../crypto/suites.js';
import { DecodeError } from '../errors.js';
import { PLAINTEXT_BYTES_MAX } from '../limits.js';
import { type ClientHello, RENEGOTIATION_SCSV } from '../messages/client-hello.js';
import {
  CertificateType,
  type HelloExtensions,
  NamedGroup,
  PointFormat,
  SignatureAlgorithm,
} from '../messages/extensions.js';
import { DTLS_1_2, NO_CONNECTION_ID } from '../messages/record.js';
import { checkRecordSizeLimit, type Negotiated } from './negotiated.js';

/** What a server brings to the negotiation. */
export interface ServerOffer {
  /** The suites for which the server has credentials, in order of preference. */
  suites: readonly CipherSuite[];
  /** Whether the server's certificate has a chain; its raw public key can be sent in any case. */
  hasChain: boolean;
  requestsClientCertificate: boolean;
  recordSizeLimit: number;
  newConnectionId?: () => Buffer;
}

/**
 * Selects the parameters of a connection from a ClientHello.
 * @param resumed The suite of the session that is resumed.
 * @throws DecodeError with the alert that says why there is no agreement
 */
export function negotiate(hello: ClientHello, offer: ServerOffer, resumed?: CipherSuite): Negotiated {
  checkVersion(hello.version);
  if ((hello.extensions.renegotiationInfo?.length ?? 0) > 0) {
    throw refusal('renegotiation_info of a first handshake');
  }
  const suite = resumed ?? selectSuite(hello, offer.suites);
  const { extensions } = hello;
  const withIds = extensions.connectionId !== undefined && offer.newConnectionId !== undefined;
  const { recordSizeLimit } = extensions;
  checkRecordSizeLimit(recordSizeLimit);
  const plainBytesMax = fragmentBytesMax(extensions);
  return {
    suite,
    extendedMasterSecret: extensions.extendedMasterSecret === true,
    ownConnectionId: withIds ? offer.newConnectionId!() : NO_CONNECTION_ID,
    peerConnectionId: withIds ? Buffer.from(extensions.connectionId!) : NO_CONNECTION_ID,
    sendBytesMax: Math.min(recordSizeLimit ?? plainBytesMax ?? PLAINTEXT_BYTES_MAX, PLAINTEXT_BYTES_MAX),
    receiveBytesMax: recordSizeLimit === undefined ? PLAINTEXT_BYTES_MAX : offer.recordSizeLimit,
    plainBytesMax,
    ...certificateTypes(suite, extensions, offer),
  };
}

/** The extensions of the ServerHello: only those that the client offered (RFC 5246 §7.4.1.4). */
export function serverExtensions(hello: ClientHello, offer: ServerOffer, negotiated: Negotiated): HelloExtensions {
  const { extensions: offered, cipherSuites } = hello;
  const { suite, ownConnectionId } = negotiated;
  const extensions: HelloExtensions = {};
  if (negotiated.extendedMasterSecret) extensions.extendedMasterSecret = true;
  if (suite.requiresEncryptThenMac) extensions.encryptThenMac = true;
  if (offered.renegotiationInfo !== undefined || cipherSuites.includes(RENEGOTIATION_SCSV)) {
    extensions.renegotiationInfo = Buffer.alloc(0);
  }
  if (ownConnectionId.length > 0) extensions.connectionId = ownConnectionId;
  if (offered.recordSizeLimit !== undefined) extensions.recordSizeLimit = offer.recordSizeLimit;
  if (negotiated.plainBytesMax !== undefined) extensions.maxFragmentLength = offered.maxFragmentLength;
  if (suite.keyExchange !== 'ecdhe_ecdsa') return extensions;
  if (offered.pointFormats !== undefined) extensions.pointFormats = [PointFormat.Uncompressed];
  if (offered.serverCertificateTypes !== undefined) {
    extensions.serverCertificateTypes = [negotiated.serverCertificateType];
  }
  if (offered.clientCertificateTypes !== undefined && offer.requestsClientCertificate) {
    extensions.clientCertificateTypes = [negotiated.clientCertificateType];
  }
  return extensions;
}

/** undefined with a record size limit, because of which it is ignored, whatever it is (RFC 8449 §5). */
function fragmentBytesMax({ maxFragmentLength, recordSizeLimit }: HelloExtensions): number | undefined {
  if (maxFragmentLength === undefined || recordSizeLimit !== undefined) return undefined;
  if (maxFragmentLength < 1 || maxFragmentLength > 4) {
    throw new DecodeError('ClientHello: unknown maximum fragment length', AlertDescription.IllegalParameter);
  }
  return 2 ** (8 + maxFragmentLength);
}

/** Newer versions have smaller numbers; a client that supports a newer version accepts 1.2 as well. */
function checkVersion(version: number): void {
  if (version >> 8 !== DTLS_1_2 >> 8 || version > DTLS_1_2) {
    throw new DecodeError('ClientHello: version', AlertDescription.ProtocolVersion);
  }
}

function selectSuite(hello: ClientHello, suites: readonly CipherSuite[]): CipherSuite {
  const suite = suites.find((one) => hello.cipherSuites.includes(one.id) && isUsable(one, hello.extensions));
  if (suite === undefined) throw refusal('no common cipher suite');
  return suite;
}

/** Whether the extensions of a ClientHello permit the suite. */
export function isUsable(suite: CipherSuite, offered: HelloExtensions): boolean {
  if (suite.requiresEncryptThenMac && offered.encryptThenMac !== true) return false;
  if (suite.keyExchange === 'psk') return true;
  const { supportedGroups, pointFormats, signatureAlgorithms } = offered;
  return (
    (supportedGroups ?? [NamedGroup.Secp256r1]).includes(NamedGroup.Secp256r1) &&
    (pointFormats ?? [PointFormat.Uncompressed]).includes(PointFormat.Uncompressed) &&
    // Without the extension only SHA-1 is allowed (RFC 5246 §7.4.1.4.1).
    (signatureAlgorithms ?? []).includes(SignatureAlgorithm.EcdsaSha256)
  );
}

function certificateTypes(suite: CipherSuite, offered: HelloExtensions, offer: ServerOffer) {
  const { X509, RawPublicKey } = CertificateType;
  if (suite.keyExchange === 'psk') return { serverCertificateType: X509, clientCertificateType: X509 };
  return {
    serverCertificateType: selectType(
      offered.serverCertificateTypes,
      offer.hasChain ? [X509, RawPublicKey] : [RawPublicKey],
    ),
    clientCertificateType: offer.requestsClientCertificate
      ? selectType(offered.clientCertificateTypes, [X509, RawPublicKey])
      : X509,
  };
}

/** The client's preference decides (RFC 7250 §4.2). If the extension is absent, the type is X.509. */
function selectType(offered: readonly number[] = [CertificateType.X509], possible: readonly number[]): number {
  const type = offered.find((one) => possible.includes(one));
  if (type === undefined) {
    throw new DecodeError('ClientHello: no common certificate type', AlertDescription.UnsupportedCertificate);
  }
  return type;
}

const refusal = (text: string) => new DecodeError(`ClientHello: ${text}`, AlertDescription.HandshakeFailure);
