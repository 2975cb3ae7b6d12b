import { generateKeyPairSync, type KeyObject } from 'node:crypto';

/** Keys for identity tokens, as the environment of the gateway (`gatewayEnv`) and of the services behind it (`serviceEnv`). */
export interface IdentityKeys {
  privateKey: KeyObject;
  publicKey: KeyObject;
  gatewayEnv: { IDENTITY_PRIVATE_KEY: string };
  serviceEnv: { IDENTITY_PUBLIC_KEYS: string };
}

export const newIdentityKeys = (): IdentityKeys => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey,
    publicKey,
    gatewayEnv: { IDENTITY_PRIVATE_KEY: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64') },
    serviceEnv: { IDENTITY_PUBLIC_KEYS: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') },
  };
};
