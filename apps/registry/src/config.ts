import { encryptionKey, type EncryptionKeys, env, serviceConfig, type ServiceConfig } from '@lanyard/service';

export const app = 'registry';

export interface RegistryConfig extends ServiceConfig {
  secrets: ServiceConfig['secrets'] & {
    /** Encrypts pre-shared keys at rest. */
    encryptionKey: EncryptionKeys;
  };
}

export const readConfig = (source?: NodeJS.ProcessEnv): RegistryConfig => {
  const reader = env(source);
  const service = serviceConfig(reader, app);
  return { ...service, secrets: { ...service.secrets, encryptionKey: encryptionKey(reader) } };
};
