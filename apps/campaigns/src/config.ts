import { ConfigError, env, type EnvReader, type ServiceConfig, serviceConfig } from '@lanyard/service';

export const app = 'campaigns';

/** URI schemes by which a device may pull a package (LwM2M 1.1 core appendix E.6, resource 8). */
export const packageSchemes = ['coap', 'coaps', 'http', 'https', 'coap+tcp', 'coaps+tcp'] as const;
export type PackageScheme = (typeof packageSchemes)[number];

/** Where devices pull packages from: `/downloads/<ticket>` is appended. */
export interface PackageSource {
  scheme: PackageScheme;
  baseUrl: string;
}

export interface CampaignsConfig extends ServiceConfig {
  /** Folder of the bytes of firmware images. */
  dataDir: string;
  /** Bytes of all firmware images of an account. */
  accountBytesMax: number;
  /** In the order of preference; without any, packages are only pushed. */
  packageSources: PackageSource[];
  /** First pause between two reads of the state of a device that downloads or installs. */
  pollMinMs: number;
}

const gibibyte = 1_073_741_824;

const sourceOf = (uri: string): PackageSource => {
  const [, scheme = ''] = /^([a-z+]+):\/\/[^/?#@\s]+\/?$/.exec(uri) ?? [];
  const known = packageSchemes.find((one) => one === scheme);
  if (!known || !URL.canParse(uri))
    throw new ConfigError(
      'CAMPAIGNS_PACKAGE_URIS',
      `must hold URIs of the schemes ${packageSchemes.join(', ')} with a host, and a port at most, not "${uri}"`,
    );
  return { scheme: known, baseUrl: uri.replace(/\/$/, '') };
};

const packageSources = (reader: EnvReader): PackageSource[] => reader.list('CAMPAIGNS_PACKAGE_URIS', []).map(sourceOf);

export const readConfig = (source?: NodeJS.ProcessEnv): CampaignsConfig => {
  const reader = env(source);
  return {
    ...serviceConfig(reader, app),
    dataDir: reader.string('CAMPAIGNS_DATA_DIR'),
    accountBytesMax: reader.int('CAMPAIGNS_ACCOUNT_BYTES_MAX', gibibyte, { min: 1 }),
    packageSources: packageSources(reader),
    pollMinMs: reader.int('CAMPAIGNS_POLL_MIN_MS', 5_000, { min: 100, max: 300_000 }),
  };
};
