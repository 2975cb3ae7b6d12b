/** The key pair of identity tokens, in the form of the environment (docs/configuration.md). */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';

export const newIdentityKeys = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    identityPrivateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    identityPublicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  };
};

/** For programs that sign as the gateway does. */
export const signingKeyOf = ({ identityPrivateKey }: { identityPrivateKey: string }) =>
  createPrivateKey({ key: Buffer.from(identityPrivateKey, 'base64'), format: 'der', type: 'pkcs8' });
