import { generateKeyPairSync } from 'node:crypto';
import { NamedError } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { Listeners } from '../listeners/listeners.js';
import type { AccountCredential } from './account-instances.js';

/** The DTLS listener has no key that a device could expect from it. */
class NoServerKey extends NamedError {
  constructor() {
    super('bootstraps with raw public keys need DEVICE_PROXY_COAP_DTLS_PRIVATE_KEY_FILE');
  }
}

/**
 * Key pairs for devices. Each is for one bootstrap, and its private key is only in the memory of this replica and on the device:
 * a device that asks again, because a replica crashed or an answer was lost, gets another pair.
 */
@Injectable()
export class RawPublicKeys {
  constructor(private readonly listeners: Listeners) {}

  /** Creates a pair on the only curve of the devices' handshakes (RFC 7925 §4.3). Throws NoServerKey. */
  newPair(): AccountCredential {
    const serverPublicKey = this.listeners.dtls?.publicKey;
    if (!serverPublicKey) throw new NoServerKey();
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return {
      publicKeyOrIdentity: publicKey.export({ format: 'der', type: 'spki' }),
      serverPublicKey,
      secretKey: privateKey.export({ format: 'der', type: 'pkcs8' }),
    };
  }
}
