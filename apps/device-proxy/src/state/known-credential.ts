import type { DeviceCredentialChanged } from '@lanyard/contracts';
import { stringInterner } from './string-interner.js';

const separator = '\n';

type Announced = Required<Pick<DeviceCredentialChanged, 'accountId' | 'deviceId' | 'identity' | 'sealedKey'>> &
  Pick<DeviceCredentialChanged, 'changedAt'>;

/**
 * A pre-shared key that a device registers with. Every replica has the keys of all devices: packed into one string, beside strings
 * that are shared, a key takes half the memory of the announced object.
 */
class PreSharedKey implements DeviceCredentialChanged {
  readonly accountId: string;
  readonly identity: string;
  /** Not packed, because other data shares the string. */
  readonly deviceId: string;
  /** When the credential changed, and the sealed key. */
  private readonly packed: string;

  constructor(
    readonly credentialId: string,
    { accountId, deviceId, identity, sealedKey, changedAt }: Announced,
  ) {
    this.accountId = stringInterner.intern(accountId);
    this.identity = identity;
    this.deviceId = deviceId;
    // Made from a Buffer, because concatenated strings keep their parts in memory.
    this.packed = Buffer.from(changedAt + separator + sealedKey, 'latin1').toString('latin1');
  }

  get kind(): 'psk' {
    return 'psk';
  }

  get service(): 'lwm2m' {
    return 'lwm2m';
  }

  get changedAt(): string {
    return this.packed.slice(0, this.packed.indexOf(separator));
  }

  get sealedKey(): string {
    return this.packed.slice(this.packed.indexOf(separator) + 1);
  }
}

/** A credential in the form in which it is kept. `credentialId`: the key in the topic, which is stored anyway. */
export const knownCredential = (credential: DeviceCredentialChanged, credentialId: string): DeviceCredentialChanged => {
  const { kind, accountId, deviceId, identity, sealedKey, changedAt, service, provisional } = credential;
  const isUsual = kind === 'psk' && service === 'lwm2m' && provisional === undefined;
  if (!isUsual || deviceId === undefined || identity === undefined || sealedKey === undefined) return credential;
  return new PreSharedKey(credentialId, { accountId, deviceId, identity, sealedKey, changedAt });
};
