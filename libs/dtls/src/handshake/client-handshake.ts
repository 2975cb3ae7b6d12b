import { type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { AlertDescription } from '../alerts.js';
import { EphemeralKey } from '../crypto/ephemeral-key.js';
import { extendedMasterSecret, masterSecret, pskPreMasterSecret, verifyData } from '../crypto/master-secret.js';
import { packBytes, unpackBytes } from '../crypto/packed-bytes.js';
import { encodePublicKey } from '../crypto/public-keys.js';
import { sign, verify } from '../crypto/signatures.js';
import { DecodeError } from '../errors.js';
import { decodeCertificateRequest } from '../messages/certificate-request.js';
import { encodeCertificateVerify } from '../messages/certificate-verify.js';
import { decodeCertificate, encodeCertificate } from '../messages/certificate.js';
import { encodeClientHello, RANDOM_BYTES } from '../messages/client-hello.js';
import { encodeEcdheClientKeyExchange, encodePskClientKeyExchange } from '../messages/client-key-exchange.js';
import { CertificateType, SignatureAlgorithm } from '../messages/extensions.js';
import { decodeFinished } from '../messages/finished.js';
import { HandshakeType } from '../messages/handshake.js';
import { decodeHelloVerifyRequest } from '../messages/hello-verify-request.js';
import { DTLS_1_2 } from '../messages/record.js';
import { decodeServerHelloDone } from '../messages/server-hello-done.js';
import { decodeServerHello } from '../messages/server-hello.js';
import {
  decodeEcdheServerKeyExchange,
  decodePskServerKeyExchange,
  encodeEcdheParameters,
} from '../messages/server-key-exchange.js';
import { Epoch } from '../record/epoch.js';
import { acceptServerHello, clientExtensions, type ClientParameters } from './client-offer.js';
import { packCredential, type PeerCredential, unpackCredential } from './credentials.js';
import { type FlightItem } from './flight.js';
import { Handshake, type HandshakeHost } from './handshake.js';
import { type Negotiated } from './negotiated.js';
import { readCredential } from './peer-certificate.js';
import { type HandshakeMessage, Reassembler } from './reassembler.js';
import { type Session } from './session-cache.js';
import { Transcript } from './transcript.js';

const {
  HelloVerifyRequest,
  ServerHello,
  Certificate,
  ServerKeyExchange,
  CertificateRequest,
  ServerHelloDone,
  Finished,
} = HandshakeType;
/** A server asks for another cookie only when its secret has changed, but anyone can send such a request. */
const COOKIES_MAX = 8;
const NO_BYTES = Buffer.alloc(0);

/** Copies bytes that are kept, because they must not keep alive the memory that small Buffers share. */
const ownCopy = (bytes: Buffer): Buffer => unpackBytes(packBytes(bytes));

/** The client's side of a handshake, from the ClientHello without a cookie to the Finished (RFC 6347 §4.2). */
export class ClientHandshake extends Handshake {
  private readonly random = randomBytes(RANDOM_BYTES);
  private readonly offered = clientExtensions(this.parameters);
  private serverRandom!: Buffer;
  private negotiated!: Negotiated;
  private sessionId: Buffer = NO_BYTES;
  private expected: readonly number[] = [HelloVerifyRequest, ServerHello];
  private credential: PeerCredential = { kind: 'anonymous' };
  private publicKey: KeyObject | undefined;
  private serverPoint: Buffer | undefined;
  private certificateRequested = false;
  private cookies = 0;
  private resumes = false;

  constructor(
    host: HandshakeHost,
    private readonly parameters: ClientParameters,
  ) {
    const epoch0 = new Epoch({ number: 0 });
    super(host, { side: 'client', reassembler: new Reassembler(0), epoch0, messageSequence: 0 });
  }

  start(): void {
    this.sendHello(NO_BYTES);
  }

  /** The session to resume later; undefined when the server does not allow it, or without an extended master secret. */
  get session(): Session | undefined {
    if (this.sessionId.length === 0 || this.masterSecret === undefined) return undefined;
    if (!this.negotiated.extendedMasterSecret) return undefined;
    const { suite } = this.negotiated;
    const [id, masterSecret] = [ownCopy(this.sessionId), ownCopy(this.masterSecret)];
    return { id, suite, masterSecret, peer: packCredential(this.credential) };
  }

  protected override get expectsFinished(): boolean {
    return this.expected.every((type) => type === Finished);
  }

  protected override handle({ type, messageSequence, body }: HandshakeMessage): void {
    // A HelloRequest concerns the handshake in progress, but is not part of it (RFC 5246 §7.4.1.1).
    if (type === HandshakeType.HelloRequest) return;
    if (!this.expected.includes(type)) {
      throw new DecodeError('a handshake message out of order', AlertDescription.UnexpectedMessage);
    }
    if (type === Finished) this.receiveFinished(messageSequence, body);
    else if (type === HelloVerifyRequest) this.receiveCookie(body);
    else {
      this.transcript.add(type, messageSequence, body);
      this.receiveServerMessage(type, body);
    }
  }

  protected override onPlainAlert(): void {
    this.alertReceived();
  }

  private receiveCookie(body: Buffer): void {
    this.cookies += 1;
    if (this.cookies > COOKIES_MAX) throw new DecodeError('too many cookies', AlertDescription.UnexpectedMessage);
    this.sendHello(decodeHelloVerifyRequest(body).cookie);
  }

  private receiveServerMessage(type: number, body: Buffer): void {
    if (type === ServerHello) this.receiveServerHello(body);
    else if (type === Certificate) this.receiveCertificate(body);
    else if (type === ServerKeyExchange) this.receiveKeyExchange(body);
    else if (type === CertificateRequest) this.receiveCertificateRequest(body);
    else this.receiveServerHelloDone(body);
  }

  /** Neither the first ClientHello nor the HelloVerifyRequest is part of the transcript (RFC 6347 §4.2.1). */
  private sendHello(cookie: Buffer): void {
    this.transcript = new Transcript();
    const hello = encodeClientHello({
      version: DTLS_1_2,
      random: this.random,
      sessionId: this.parameters.session?.id ?? NO_BYTES,
      cookie: Buffer.from(cookie),
      cipherSuites: this.parameters.suites.map(({ id }) => id),
      extensions: this.offered,
    });
    this.sendFlight([this.message(HandshakeType.ClientHello, hello)]);
  }

  private receiveServerHello(body: Buffer): void {
    const hello = decodeServerHello(body);
    this.negotiated = acceptServerHello(hello, this.offered, this.parameters);
    this.serverRandom = Buffer.from(hello.random);
    this.sessionId = Buffer.from(hello.sessionId);
    const { session } = this.parameters;
    if (session !== undefined && hello.sessionId.equals(session.id)) this.resume(session);
    else if (this.negotiated.suite.keyExchange === 'psk') this.expected = [ServerKeyExchange, ServerHelloDone];
    else this.expected = [Certificate];
  }

  private resume(session: Session): void {
    if (!this.negotiated.extendedMasterSecret || session.suite.id !== this.negotiated.suite.id) {
      throw new DecodeError('ServerHello: not the session', AlertDescription.HandshakeFailure);
    }
    this.resumes = true;
    this.credential = unpackCredential(session.peer);
    this.expected = [Finished];
    this.useKeys(this.negotiated, session.masterSecret, this.random, this.serverRandom);
  }

  private receiveCertificate(body: Buffer): void {
    const type = this.negotiated.serverCertificateType;
    const entries = decodeCertificate(body, type);
    if (entries.length === 0) throw new DecodeError('no server certificate', AlertDescription.DecodeError);
    const { credential, publicKey } = readCredential(entries, type);
    this.credential = credential;
    this.publicKey = publicKey;
    this.expected = [ServerKeyExchange];
  }

  private receiveKeyExchange(body: Buffer): void {
    this.expected = [ServerHelloDone];
    if (this.negotiated.suite.keyExchange === 'psk') {
      decodePskServerKeyExchange(body);
      return;
    }
    const { publicKey, algorithm, signature } = decodeEcdheServerKeyExchange(body);
    verify(this.publicKey!, algorithm, signature, this.random, this.serverRandom, encodeEcdheParameters(publicKey));
    this.serverPoint = Buffer.from(publicKey);
    this.expected = [CertificateRequest, ServerHelloDone];
  }

  private receiveCertificateRequest(body: Buffer): void {
    decodeCertificateRequest(body);
    this.certificateRequested = true;
    this.expected = [ServerHelloDone];
  }

  private receiveServerHelloDone(body: Buffer): void {
    decodeServerHelloDone(body);
    this.flightAnswered();
    this.expected = [Finished];
    const { authenticate } = this.parameters;
    if (this.negotiated.suite.keyExchange === 'psk' || authenticate === undefined) {
      this.answer();
      return;
    }
    this.whenKnown(
      () => authenticate(this.credential),
      (isAuthentic) => {
        if (isAuthentic) this.answer();
        else this.fail('not-authenticated', { alert: AlertDescription.BadCertificate });
      },
    );
  }

  private answer(): void {
    const flight: FlightItem[] = [];
    if (this.certificateRequested) flight.push(this.message(Certificate, this.ownCertificate()));
    const { body, preMasterSecret } = this.keyExchange();
    flight.push(this.message(HandshakeType.ClientKeyExchange, body));
    this.deriveSecrets(preMasterSecret);
    if (this.certificateRequested && this.parameters.certificate !== undefined) {
      flight.push(this.message(HandshakeType.CertificateVerify, this.proof(this.parameters.certificate.privateKey)));
    }
    this.sendFlight([...flight, this.changeCipherSpec(), this.finished()]);
  }

  private ownCertificate(): Buffer {
    const { certificate } = this.parameters;
    const type = this.negotiated.clientCertificateType;
    if (certificate === undefined) return encodeCertificate([], type);
    const entries =
      type === CertificateType.RawPublicKey ? [encodePublicKey(certificate.privateKey)] : certificate.chain;
    return encodeCertificate(entries, type);
  }

  private keyExchange(): { body: Buffer; preMasterSecret: Buffer } {
    if (this.serverPoint === undefined) {
      const { identity, key } = this.parameters.psk!;
      this.credential = { kind: 'psk', identity };
      return { body: encodePskClientKeyExchange({ identity }), preMasterSecret: pskPreMasterSecret(key) };
    }
    const ephemeral = new EphemeralKey();
    const body = encodeEcdheClientKeyExchange({ publicKey: ephemeral.publicKey });
    return { body, preMasterSecret: ephemeral.agree(this.serverPoint) };
  }

  private deriveSecrets(preMasterSecret: Buffer): void {
    const secret = this.negotiated.extendedMasterSecret
      ? extendedMasterSecret(preMasterSecret, this.transcript.digest())
      : masterSecret(preMasterSecret, this.random, this.serverRandom);
    this.useKeys(this.negotiated, secret, this.random, this.serverRandom);
  }

  private proof(privateKey: KeyObject): Buffer {
    const signature = sign(privateKey, this.transcript.messages());
    return encodeCertificateVerify({ algorithm: SignatureAlgorithm.EcdsaSha256, signature });
  }

  private finished(): FlightItem {
    const content = verifyData(this.masterSecret!, 'client', this.transcript.digest());
    return this.message(Finished, content, 1);
  }

  private receiveFinished(messageSequence: number, body: Buffer): void {
    const own = verifyData(this.masterSecret!, 'server', this.transcript.digest());
    if (!timingSafeEqual(own, decodeFinished(body))) {
      throw new DecodeError('the Finished does not match', AlertDescription.DecryptError);
    }
    if (!this.resumes) this.flightAnswered();
    else {
      this.transcript.add(Finished, messageSequence, body);
      this.sendLastFlight(this.finished());
    }
    this.establish(packCredential(this.credential));
  }
}
