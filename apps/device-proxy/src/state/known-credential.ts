import type { DeviceCredentialChanged } from '@lanyard/contracts';
import { stringInterner } from './string-interner.js';

const idBytes = 16;
const separator = '\n';

type Announced = Required<Pick<DeviceCredentialChanged, 'accountId' | 'deviceId' | 'identity' | 'sealedKey'>> &
  Pick<DeviceCredentialChanged, 'changedAt'>;

/**
 * A pre-shared key that a device registers with. Every replica has those of all devices: in one string and shared ones it takes
 * half the memory of the announced object.
 */
class PreSharedKey implements DeviceCredentialChanged {
  readonly accountId: string;
  readonly identity: string;
  /** The id of the device in 16 characters, when the credential changed, and the sealed key. */
  private readonly packed: string;

  constructor(
    readonly credentialId: string,
    { accountId, deviceId, identity, sealedKey, changedAt }: Announced,
  ) {
    this.accountId = stringInterner.intern(accountId);
    this.identity = identity;
    const text = changedAt + separator + sealedKey;
    // From a Buffer: strings that are put together keep their parts.
    this.packed = Buffer.concat([Buffer.from(deviceId, 'hex'), Buffer.from(text, 'latin1')]).toString('latin1');
  }

  get kind(): 'psk' {
    return 'psk';
  }

  get deviceId(): string {
    return Buffer.from(this.packed.slice(0, idBytes), 'latin1').toString('hex');
  }

  get changedAt(): string {
    return this.packed.slice(idBytes, this.packed.indexOf(separator, idBytes));
  }

  get sealedKey(): string {
    return this.packed.slice(this.packed.indexOf(separator, idBytes) + 1);
  }
}

/** A credential as it is kept. `credentialId`: the key in the topic, which is kept anyway. */
export const knownCredential = (credential: DeviceCredentialChanged, credentialId: string): DeviceCredentialChanged => {
  const { kind, accountId, deviceId, identity, sealedKey, changedAt, service, provisional } = credential;
  const isUsual = kind === 'psk' && service === undefined && provisional === undefined;
  if (!isUsual || deviceId === undefined || identity === undefined || sealedKey === undefined) return credential;
  return new PreSharedKey(credentialId, { accountId, deviceId, identity, sealedKey, changedAt });
};
