/** A cipher suite, with the sizes of its keys and records. */
export interface CipherSuite {
  /** The number on the wire. */
  id: number;
  /** As IANA registers it. */
  name: string;
  keyExchange: 'psk' | 'ecdhe_ecdsa';
  cipher: 'aes-128-ccm' | 'aes-128-gcm' | 'aes-128-cbc';
  /** Authentication tag of a record, or HMAC-SHA256. */
  tagBytes: number;
  macKeyBytes: number;
  keyBytes: number;
  /** Length of the implicit part of the nonce. CBC has none: each record contains its own IV. */
  ivBytes: number;
  /**
   * The suite can be used only when encrypt-then-MAC is negotiated (RFC 7366), and the server answers with that extension only then.
   * MAC-then-encrypt is not offered: JavaScript cannot check it in constant time (RFC 5246 §6.2.3.2).
   */
  requiresEncryptThenMac: boolean;
}

const AEAD = { macKeyBytes: 0, keyBytes: 16, ivBytes: 4, requiresEncryptThenMac: false } as const;
const CCM_8 = { ...AEAD, cipher: 'aes-128-ccm', tagBytes: 8 } as const;
const GCM = { ...AEAD, cipher: 'aes-128-gcm', tagBytes: 16 } as const;
const CBC_SHA256 = {
  cipher: 'aes-128-cbc',
  tagBytes: 32,
  macKeyBytes: 32,
  keyBytes: 16,
  ivBytes: 0,
  requiresEncryptThenMac: true,
} as const;

/** RFC 5289, 7251, 6655 and 5487; suites of the same key exchange are in the order in which a server should prefer them. */
export const CIPHER_SUITES: readonly CipherSuite[] = [
  { id: 0xc02b, name: 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', keyExchange: 'ecdhe_ecdsa', ...GCM },
  { id: 0xc0ae, name: 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8', keyExchange: 'ecdhe_ecdsa', ...CCM_8 },
  { id: 0xc0a8, name: 'TLS_PSK_WITH_AES_128_CCM_8', keyExchange: 'psk', ...CCM_8 },
  { id: 0x00ae, name: 'TLS_PSK_WITH_AES_128_CBC_SHA256', keyExchange: 'psk', ...CBC_SHA256 },
];

export function cipherSuite(id: number): CipherSuite | undefined {
  return CIPHER_SUITES.find((suite) => suite.id === id);
}
