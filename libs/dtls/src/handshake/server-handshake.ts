import { type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { types } from 'node:util';
import { AlertDescription } from '../alerts.js';
import { EphemeralKey } from '../crypto/ephemeral-key.js';
import { extendedMasterSecret, masterSecret, pskPreMasterSecret, verifyData } from '../crypto/master-secret.js';
import { packBytes } from '../crypto/packed-bytes.js';
import { publicRandom } from '../crypto/public-random.js';
import { encodePublicKey } from '../crypto/public-keys.js';
import { sign, verify } from '../crypto/signatures.js';
import { DecodeError } from '../errors.js';
import { ClientCertificateType, encodeCertificateRequest } from '../messages/certificate-request.js';
import { decodeCertificateVerify } from '../messages/certificate-verify.js';
import { decodeCertificate, encodeCertificate } from '../messages/certificate.js';
import { type ClientHello, RANDOM_BYTES } from '../messages/client-hello.js';
import { decodeEcdheClientKeyExchange, decodePskClientKeyExchange } from '../messages/client-key-exchange.js';
import { CertificateType, SignatureAlgorithm } from '../messages/extensions.js';
import { decodeFinished } from '../messages/finished.js';
import { HandshakeType } from '../messages/handshake.js';
import { DTLS_1_2 } from '../messages/record.js';
import { SERVER_HELLO_DONE } from '../messages/server-hello-done.js';
import { encodeServerHello } from '../messages/server-hello.js';
import { encodeEcdheParameters, encodeEcdheServerKeyExchange } from '../messages/server-key-exchange.js';
import { Epoch } from '../record/epoch.js';
import {
  type Authenticate,
  type OwnCertificate,
  packCredential,
  type PeerCredential,
  unpackCredential,
} from './credentials.js';
import { type FlightItem } from './flight.js';
import { Handshake, type HandshakeHost } from './handshake.js';
import { isUsable, negotiate, serverExtensions, type ServerOffer } from './negotiate.js';
import { type Negotiated } from './negotiated.js';
import { readCredential } from './peer-certificate.js';
import { type HandshakeMessage, Reassembler } from './reassembler.js';
import { keyProof, type Session, type SessionCache, wasAgreedWith } from './session-cache.js';

/** Pre-shared key of an identity, or undefined. */
export type KeyOf = (identity: Buffer) => Buffer | undefined | Promise<Buffer | undefined>;

/** What all handshakes of a server share. */
export interface ServerParameters extends ServerOffer {
  keyOf?: KeyOf;
  certificate?: OwnCertificate;
  authenticate?: Authenticate;
  /** First retransmission timeout for the client, which is known when this is called; undefined: that of the limits. */
  retransmissionMs?: () => number | undefined;
  sessions: SessionCache;
}

/** A ClientHello with a valid cookie, and its position. */
export interface VerifiedHello {
  recordSequence: number;
  messageSequence: number;
  /** A copy, not a view of a datagram; the Buffers of `hello` are views of it. */
  body: Buffer;
  hello: ClientHello;
}

const SESSION_ID_BYTES = 16;
/** Used in place of the key of an unknown identity. */
const UNKNOWN_IDENTITY_KEY = randomBytes(16);
const NO_BYTES = Buffer.alloc(0);

/**
 * The server's side of a handshake, from a ClientHello with a valid cookie (RFC 6347 §4.2). The numbers of its own messages and
 * records continue those of that ClientHello, because the HelloVerifyRequest left no state.
 */
export class ServerHandshake extends Handshake {
  private readonly hello: ClientHello;
  private readonly serverRandom = publicRandom(RANDOM_BYTES);
  private negotiated!: Negotiated;
  private sessionId: Buffer = NO_BYTES;
  private expected: number = HandshakeType.ClientKeyExchange;
  private ephemeralKey: EphemeralKey | undefined;
  private credential: PeerCredential = { kind: 'anonymous' };
  private publicKey: KeyObject | undefined;
  private proof: Buffer | undefined;
  private resumes = false;

  constructor(
    host: HandshakeHost,
    private readonly parameters: ServerParameters,
    private readonly verified: VerifiedHello,
  ) {
    const { messageSequence, recordSequence } = verified;
    const epoch0 = new Epoch({ number: 0, sendSequence: recordSequence });
    const reassembler = new Reassembler(messageSequence + 1);
    super(host, { side: 'server', reassembler, epoch0, messageSequence });
    this.hello = verified.hello;
  }

  /** Whether a ClientHello is a repetition of the one that started this handshake. */
  isStartedBy(random: Buffer): boolean {
    return this.hello.random.equals(random);
  }

  /** The connection id that the client's records will carry. */
  get connectionId(): Buffer | undefined {
    return this.negotiated?.ownConnectionId;
  }

  /** Answers the ClientHello. */
  start(): void {
    this.guard(() => {
      const { messageSequence, body } = this.verified;
      this.transcript.add(HandshakeType.ClientHello, messageSequence, body);
      const session = this.findSession();
      this.negotiated = negotiate(this.hello, this.parameters, session?.suite);
      const { plainBytesMax } = this.negotiated;
      if (plainBytesMax !== undefined) this.limitFlights(plainBytesMax);
      if (session === undefined) this.startFull();
      else
        this.whenKnown(
          () => this.isStillValid(session),
          (valid) => (valid ? this.resume(session) : this.startFull()),
        );
    });
  }

  protected override get expectsFinished(): boolean {
    return this.expected === HandshakeType.Finished;
  }

  protected override handle({ type, messageSequence, body }: HandshakeMessage): void {
    if (type !== this.expected) {
      throw new DecodeError('a handshake message out of order', AlertDescription.UnexpectedMessage);
    }
    if (type === HandshakeType.Finished) {
      this.receiveFinished(messageSequence, body);
      return;
    }
    // Signatures cover the messages before their own.
    if (type === HandshakeType.CertificateVerify) this.receiveCertificateVerify(body);
    this.transcript.add(type, messageSequence, body);
    if (type === HandshakeType.Certificate) this.receiveCertificate(body);
    else if (type === HandshakeType.ClientKeyExchange) this.receiveKeyExchange(body);
  }

  /** RFC 5246 §7.2.2. A client whose Finished was lost may send the alert behind it. */
  protected override onAuthenticAlert(): void {
    if (this.resumes) this.parameters.sessions.delete(packBytes(this.sessionId));
  }

  private findSession(): Session | undefined {
    const { sessionId, cipherSuites, extensions } = this.hello;
    const session = this.parameters.sessions.find(sessionId);
    if (session === undefined || !cipherSuites.includes(session.suite.id)) return undefined;
    if (extensions.extendedMasterSecret !== true) {
      throw new DecodeError('resumption without extended master secret', AlertDescription.HandshakeFailure);
    }
    return isUsable(session.suite, extensions) ? session : undefined;
  }

  /** Whether the session may be resumed: not if its credential was withdrawn or replaced after the session began. */
  private isStillValid(session: Session): boolean | Promise<boolean> {
    const { keyOf, authenticate } = this.parameters;
    const credential = unpackCredential(session.peer);
    if (credential.kind !== 'psk') return authenticate?.(credential) ?? true;
    this.identity = credential.identity;
    const key = keyOf?.(credential.identity);
    if (!types.isPromise(key)) return wasAgreedWith(session, key);
    return key.then((known) => wasAgreedWith(session, known));
  }

  private resume(session: Session): void {
    this.resumes = true;
    this.useTimerOfClient();
    this.sessionId = session.id;
    this.credential = unpackCredential(session.peer);
    const flight = [this.serverHello()];
    this.useKeys(this.negotiated, session.masterSecret, this.hello.random, this.serverRandom);
    this.expected = HandshakeType.Finished;
    this.sendFlight([...flight, this.changeCipherSpec(), this.finished()]);
  }

  private startFull(): void {
    const { suite, extendedMasterSecret: isResumable } = this.negotiated;
    if (isResumable && !this.parameters.sessions.isOff) this.sessionId = publicRandom(SESSION_ID_BYTES);
    const withCertificate = suite.keyExchange === 'ecdhe_ecdsa';
    const flight = [this.serverHello(), ...(withCertificate ? this.certificateMessages() : [])];
    flight.push(this.message(HandshakeType.ServerHelloDone, SERVER_HELLO_DONE));
    this.sendFlight(flight);
  }

  private serverHello(): FlightItem {
    const hello = {
      version: DTLS_1_2,
      random: this.serverRandom,
      sessionId: this.sessionId,
      cipherSuite: this.negotiated.suite.id,
      extensions: serverExtensions(this.hello, this.parameters, this.negotiated),
    };
    return this.message(HandshakeType.ServerHello, encodeServerHello(hello));
  }

  private certificateMessages(): FlightItem[] {
    const { chain, privateKey } = this.parameters.certificate!;
    const type = this.negotiated.serverCertificateType;
    const entries = type === CertificateType.RawPublicKey ? [encodePublicKey(privateKey)] : chain;
    const messages = [
      this.message(HandshakeType.Certificate, encodeCertificate(entries, type)),
      this.message(HandshakeType.ServerKeyExchange, this.keyExchange(privateKey)),
    ];
    if (!this.parameters.requestsClientCertificate) return messages;
    this.expected = HandshakeType.Certificate;
    const request = encodeCertificateRequest({
      certificateTypes: [ClientCertificateType.EcdsaSign],
      signatureAlgorithms: [SignatureAlgorithm.EcdsaSha256],
      authorities: [],
    });
    return [...messages, this.message(HandshakeType.CertificateRequest, request)];
  }

  private keyExchange(privateKey: KeyObject): Buffer {
    this.ephemeralKey = new EphemeralKey();
    const { publicKey } = this.ephemeralKey;
    const signature = sign(privateKey, this.hello.random, this.serverRandom, encodeEcdheParameters(publicKey));
    return encodeEcdheServerKeyExchange({ publicKey, algorithm: SignatureAlgorithm.EcdsaSha256, signature });
  }

  private receiveCertificate(body: Buffer): void {
    const type = this.negotiated.clientCertificateType;
    const entries = decodeCertificate(body, type);
    if (entries.length === 0) {
      throw new DecodeError('no client certificate', AlertDescription.HandshakeFailure);
    }
    const { credential, publicKey } = readCredential(entries, type);
    this.credential = credential;
    this.publicKey = publicKey;
    this.expected = HandshakeType.ClientKeyExchange;
  }

  private receiveKeyExchange(body: Buffer): void {
    this.flightAnswered();
    this.expected = this.publicKey === undefined ? HandshakeType.Finished : HandshakeType.CertificateVerify;
    if (this.ephemeralKey === undefined) {
      this.receiveIdentity(Buffer.from(decodePskClientKeyExchange(body).identity));
      return;
    }
    this.deriveSecrets(this.ephemeralKey.agree(decodeEcdheClientKeyExchange(body).publicKey));
    this.ephemeralKey = undefined;
  }

  /** An unknown identity fails in the same time and way as a wrong key (RFC 4279 §2). */
  private receiveIdentity(identity: Buffer): void {
    this.identity = identity;
    this.credential = { kind: 'psk', identity };
    this.whenKnown(
      () => this.parameters.keyOf!(identity),
      (known) => {
        const key = known === undefined || known.length === 0 ? UNKNOWN_IDENTITY_KEY : known;
        this.deriveSecrets(pskPreMasterSecret(key));
        this.proof = keyProof(this.masterSecret!, key);
      },
    );
  }

  private deriveSecrets(preMasterSecret: Buffer): void {
    const { hello, serverRandom, negotiated } = this;
    const secret = negotiated.extendedMasterSecret
      ? extendedMasterSecret(preMasterSecret, this.transcript.digest())
      : masterSecret(preMasterSecret, hello.random, serverRandom);
    this.useKeys(negotiated, secret, hello.random, serverRandom);
  }

  private receiveCertificateVerify(body: Buffer): void {
    const { algorithm, signature } = decodeCertificateVerify(body);
    verify(this.publicKey!, algorithm, signature, this.transcript.messages());
    this.expected = HandshakeType.Finished;
    this.whenKnown(
      () => this.parameters.authenticate!(this.credential),
      (isAuthentic) => {
        if (!isAuthentic) this.fail('not-authenticated', { alert: AlertDescription.BadCertificate });
      },
    );
  }

  private receiveFinished(messageSequence: number, body: Buffer): void {
    const own = verifyData(this.masterSecret!, 'client', this.transcript.digest());
    if (!timingSafeEqual(own, decodeFinished(body))) {
      throw new DecodeError('the Finished does not match', AlertDescription.DecryptError);
    }
    this.transcript.add(HandshakeType.Finished, messageSequence, body);
    this.keepSession();
    if (this.resumes) this.flightAnswered();
    else {
      this.useTimerOfClient();
      this.sendLastFlight(this.finished());
    }
    this.establish(packCredential(this.credential), packBytes(this.sessionId));
  }

  /** In a full handshake, called only at the Finished: before that, timing would tell strangers which identities exist. */
  private useTimerOfClient(): void {
    const retransmissionMs = this.parameters.retransmissionMs?.();
    if (retransmissionMs !== undefined) this.useRetransmissionMs(retransmissionMs);
  }

  private finished(): FlightItem {
    const content = verifyData(this.masterSecret!, 'server', this.transcript.digest());
    return this.message(HandshakeType.Finished, content, 1);
  }

  private keepSession(): void {
    if (this.resumes || this.sessionId.length === 0) return;
    const { suite } = this.negotiated;
    const peer = packCredential(this.credential);
    const session = { id: this.sessionId, suite, masterSecret: this.masterSecret!, peer, keyProof: this.proof };
    this.parameters.sessions.add(session);
  }
}
