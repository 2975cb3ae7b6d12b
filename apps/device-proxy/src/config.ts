import { isIP } from 'node:net';
import {
  ConfigError,
  encryptionKey,
  type EncryptionKeys,
  env,
  type EnvReader,
  redisUrl,
  replicaUrls,
  requireOneSlot,
  serviceConfig,
  type ServiceConfig,
} from '@lanyard/service';
import {
  awakeMaxMs,
  awakeWindowMs,
  connectionsMaxDefault,
  expiryGraceMaxMs,
  expiryGraceMs,
  pushMaxMs,
} from './limits.js';

/** CoAP over UDP or TCP without security: for development, on an isolated network. */
export interface CoapConfig {
  host: string;
  port: number;
  /** The account of all devices on this listener. */
  accountId: string;
}

export interface CoapUdpConfig extends CoapConfig {
  /** Requested receive buffer; the kernel may grant less. */
  receiveBufferBytes: number;
  /** ACK_TIMEOUT (RFC 7252 §4.8) and the size of blocks, for slow radios. */
  ackTimeoutMs?: number;
  blockBytes?: number;
  /** Block-wise uploads in progress. */
  uploadsMax?: number;
  uploadsPerAddressMax?: number;
}

/** The UDP port on which replicas forward records of devices to each other. */
export interface PeerPortConfig {
  /** Where the other replicas reach this one: a literal IP address, for example that of the pod. */
  host: string;
  port: number;
}

/** CoAP over TLS 1.2. */
export interface TlsConfig {
  host: string;
  port: number;
  /** PEM files of the listener; both or neither. Without them devices need pre-shared keys. */
  certificateFile?: string;
  privateKeyFile?: string;
  limits: { connectionsMax: number; connectionsPerAddressMax: number; idleMs: number };
}

/** CoAP over DTLS 1.2. */
export interface DtlsConfig {
  host: string;
  port: number;
  /**
   * PEM files of the listener, with a key on P-256. Without them devices need pre-shared keys; with the private key alone they may
   * also use raw public keys, and with both files certificates, too.
   */
  certificateFile?: string;
  privateKeyFile?: string;
  /** Requested receive buffer; the kernel may grant less. */
  receiveBufferBytes: number;
  /** ACK_TIMEOUT (RFC 7252 §4.8), the size of blocks and the first retransmission of a handshake, for slow radios. */
  ackTimeoutMs?: number;
  blockBytes?: number;
  handshakeTimerMs?: number;
  limits: {
    connectionsMax: number;
    connectionsPerAddressMax: number;
    handshakesMax: number;
    handshakesPerAddressMax: number;
    handshakesPerAddressPerSecond: number;
    /** For connections without a registered device. */
    idleMs: number;
    uploadsMax?: number;
  };
}

/** The kernel counts some 800 bytes for a device's datagram: the usual 208 KiB are full after 256. */
const receiveBufferBytes = 4 * 1024 * 1024;

/** The kernel takes a signed number of 32 bits. */
const receiveBuffers = { min: 4_096, max: 2 ** 31 - 1 };

export interface DeviceProxyConfig extends ServiceConfig {
  secrets: ServiceConfig['secrets'] & {
    redisUrl: string;
    /** Decrypts pre-shared keys, which the registry encrypts. */
    encryptionKey: EncryptionKeys;
  };
  redisPrefix: string;
  /** Concurrent requests of devices; further ones get 5.03. */
  requestsInFlightMax: number;
  /** Base URLs of the replicas of campaigns; without any there are no downloads and no packages to push. */
  campaignsUrls: string[];
  /** How long the push of a package to a device may take; other commands of the device wait meanwhile. */
  pushMaxMs: number;
  /** How long a queue-mode device listens after its last message. */
  awakeMs: number;
  /** How long a registration outlives its lifetime. */
  expiryGraceMs: number;
  /** undefined: no listener. */
  coap?: CoapUdpConfig;
  dtls?: DtlsConfig;
  tls?: TlsConfig;
  tcp?: CoapConfig;
  /** undefined: records that reach the wrong replica are dropped. */
  peerPort?: PeerPortConfig;
}

export const app = 'device-proxy';

const accountIdIn = (reader: EnvReader, name: string): string => {
  const text = reader.string(name);
  if (!/^[0-9a-f]{32}$/.test(text)) throw new ConfigError(name, 'must be an account id (32 hex)');
  return text;
};

const ports = { min: 0, max: 65_535 };

/** RFC 7252 §4.8.1 asks for at least a second; narrow-band radios need ten. */
const times = { min: 1_000, max: 60_000 };

/** RFC 7959 §2.2. */
const blockSizes = [16, 32, 64, 128, 256, 512, 1_024];

const blockBytes = (reader: EnvReader, name: string): number => {
  const bytes = reader.int(name, 1_024);
  if (!blockSizes.includes(bytes)) throw new ConfigError(name, `must be one of ${blockSizes.join(', ')}`);
  return bytes;
};

const certificateFiles = (reader: EnvReader, certificate: string, privateKey: string) => {
  const certificateFile = reader.optional(certificate);
  const privateKeyFile = reader.optional(privateKey);
  if (certificateFile !== undefined && privateKeyFile === undefined)
    throw new ConfigError(privateKey, `must be set, because ${certificate} is set`);
  return { ...(certificateFile && { certificateFile }), ...(privateKeyFile && { privateKeyFile }) };
};

/** TLS has no raw public keys here, so a private key without a certificate is refused. */
const tlsFiles = (reader: EnvReader) => {
  const names = ['DEVICE_PROXY_COAP_TLS_CERTIFICATE_FILE', 'DEVICE_PROXY_COAP_TLS_PRIVATE_KEY_FILE'] as const;
  const files = certificateFiles(reader, ...names);
  if (files.privateKeyFile !== undefined && files.certificateFile === undefined)
    throw new ConfigError(names[1], `needs ${names[0]}: set both or neither`);
  return files;
};

const dtlsConfig = (reader: EnvReader): DtlsConfig => ({
  host: reader.string('DEVICE_PROXY_COAP_DTLS_HOST', '127.0.0.1'),
  port: reader.int('DEVICE_PROXY_COAP_DTLS_PORT', 5684, ports),
  ...certificateFiles(reader, 'DEVICE_PROXY_COAP_DTLS_CERTIFICATE_FILE', 'DEVICE_PROXY_COAP_DTLS_PRIVATE_KEY_FILE'),
  receiveBufferBytes: reader.int('DEVICE_PROXY_COAP_DTLS_RECEIVE_BUFFER_BYTES', receiveBufferBytes, receiveBuffers),
  ackTimeoutMs: reader.int('DEVICE_PROXY_COAP_DTLS_ACK_TIMEOUT_MS', 2_000, times),
  blockBytes: blockBytes(reader, 'DEVICE_PROXY_COAP_DTLS_BLOCK_BYTES'),
  handshakeTimerMs: reader.int('DEVICE_PROXY_COAP_DTLS_HANDSHAKE_TIMER_MS', 1_000, times),
  limits: {
    connectionsMax: reader.int('DEVICE_PROXY_COAP_DTLS_CONNECTIONS_MAX', connectionsMaxDefault.dtls, { min: 1 }),
    connectionsPerAddressMax: reader.int('DEVICE_PROXY_COAP_DTLS_CONNECTIONS_PER_ADDRESS_MAX', 10_000, { min: 1 }),
    handshakesMax: reader.int('DEVICE_PROXY_COAP_DTLS_HANDSHAKES_MAX', 5_000, { min: 1 }),
    handshakesPerAddressMax: reader.int('DEVICE_PROXY_COAP_DTLS_HANDSHAKES_PER_ADDRESS_MAX', 1_000, { min: 1 }),
    handshakesPerAddressPerSecond: reader.int('DEVICE_PROXY_COAP_DTLS_HANDSHAKES_PER_ADDRESS_PER_SECOND', 500, {
      min: 1,
    }),
    idleMs: reader.int('DEVICE_PROXY_COAP_DTLS_IDLE_MS', 1_800_000, { min: 10_000 }),
    uploadsMax: reader.int('DEVICE_PROXY_COAP_DTLS_UPLOADS_MAX', 1_000, { min: 1 }),
  },
});

const tlsConfig = (reader: EnvReader): TlsConfig => ({
  host: reader.string('DEVICE_PROXY_COAP_TLS_HOST', '127.0.0.1'),
  port: reader.int('DEVICE_PROXY_COAP_TLS_PORT', 5684, ports),
  ...tlsFiles(reader),
  limits: {
    connectionsMax: reader.int('DEVICE_PROXY_COAP_TLS_CONNECTIONS_MAX', connectionsMaxDefault.tls, { min: 1 }),
    connectionsPerAddressMax: reader.int('DEVICE_PROXY_COAP_TLS_CONNECTIONS_PER_ADDRESS_MAX', 1_000, { min: 1 }),
    idleMs: reader.int('DEVICE_PROXY_COAP_TLS_IDLE_MS', 1_800_000, { min: 10_000 }),
  },
});

const peerPort = (reader: EnvReader): { peerPort?: PeerPortConfig } => {
  const host = reader.optional('DEVICE_PROXY_PEER_HOST');
  const port = reader.int('DEVICE_PROXY_PEER_PORT', 5685, ports);
  if (host === undefined) return {};
  if (isIP(host) === 0) throw new ConfigError('DEVICE_PROXY_PEER_HOST', 'must be an IP address');
  return { peerPort: { host, port } };
};

export const readConfig = (source?: NodeJS.ProcessEnv): DeviceProxyConfig => {
  const reader = env(source);
  const enabled = reader.bool('DEVICE_PROXY_COAP_NOSEC_ENABLED', false);
  const service = serviceConfig(reader, app);
  const secrets = { ...service.secrets, redisUrl: redisUrl(reader), encryptionKey: encryptionKey(reader) };
  const redisPrefix = reader.string('DEVICE_PROXY_REDIS_PREFIX', 'device-proxy:');
  requireOneSlot(secrets.redisUrl, 'DEVICE_PROXY_REDIS_PREFIX', redisPrefix);
  return {
    ...service,
    secrets,
    redisPrefix,
    requestsInFlightMax: reader.int('DEVICE_PROXY_REQUESTS_IN_FLIGHT_MAX', 5_000, { min: 2 }),
    campaignsUrls: replicaUrls(reader, 'DEVICE_PROXY_CAMPAIGNS_URLS', []),
    pushMaxMs: reader.int('DEVICE_PROXY_PUSH_MAX_MS', pushMaxMs, { min: 1_000 }),
    awakeMs: reader.int('DEVICE_PROXY_QUEUE_MODE_AWAKE_MS', awakeWindowMs, { min: 1_000, max: awakeMaxMs }),
    expiryGraceMs: reader.int('DEVICE_PROXY_EXPIRY_GRACE_MS', expiryGraceMs, { min: 0, max: expiryGraceMaxMs }),
    ...(enabled && {
      coap: {
        host: reader.string('DEVICE_PROXY_COAP_HOST', '127.0.0.1'),
        port: reader.int('DEVICE_PROXY_COAP_PORT', 5683, ports),
        accountId: accountIdIn(reader, 'DEVICE_PROXY_COAP_NOSEC_ACCOUNT_ID'),
        receiveBufferBytes: reader.int('DEVICE_PROXY_COAP_RECEIVE_BUFFER_BYTES', receiveBufferBytes, receiveBuffers),
        ackTimeoutMs: reader.int('DEVICE_PROXY_COAP_ACK_TIMEOUT_MS', 2_000, times),
        blockBytes: blockBytes(reader, 'DEVICE_PROXY_COAP_BLOCK_BYTES'),
        uploadsMax: reader.int('DEVICE_PROXY_COAP_UPLOADS_MAX', 1_000, { min: 1 }),
        uploadsPerAddressMax: reader.int('DEVICE_PROXY_COAP_UPLOADS_PER_ADDRESS_MAX', 100, { min: 1 }),
      },
    }),
    ...(reader.bool('DEVICE_PROXY_COAP_DTLS_ENABLED', false) && { dtls: dtlsConfig(reader) }),
    ...peerPort(reader),
    ...(reader.bool('DEVICE_PROXY_COAP_TLS_ENABLED', false) && { tls: tlsConfig(reader) }),
    ...(reader.bool('DEVICE_PROXY_COAP_TCP_NOSEC_ENABLED', false) && {
      tcp: {
        host: reader.string('DEVICE_PROXY_COAP_TCP_HOST', '127.0.0.1'),
        port: reader.int('DEVICE_PROXY_COAP_TCP_PORT', 5683, ports),
        accountId: accountIdIn(reader, 'DEVICE_PROXY_COAP_TCP_NOSEC_ACCOUNT_ID'),
      },
    }),
  };
};
