import { encryptionKey, type EncryptionKeys, env, serviceConfig, type ServiceConfig } from '@lanyard/service';

export const app = 'registry';

export interface RegistryConfig extends ServiceConfig {
  secrets: ServiceConfig['secrets'] & {
    /** Encrypts pre-shared keys at rest. */
    encryptionKey: EncryptionKeys;
  };
  /** Whether devices present the identity that a customer chose for a pre-shared key as `<account id>:<identity>`. */
  qualifiesIdentities: boolean;
}

export const readConfig = (source?: NodeJS.ProcessEnv): RegistryConfig => {
  const reader = env(source);
  const service = serviceConfig(reader, app);
  return {
    ...service,
    secrets: { ...service.secrets, encryptionKey: encryptionKey(reader) },
    qualifiesIdentities: reader.bool('REGISTRY_PSK_IDENTITIES_QUALIFIED', true),
  };
};
