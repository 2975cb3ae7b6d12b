import {
  ConfigError,
  encryptionKey,
  type EncryptionKeys,
  env,
  type EnvReader,
  type ServiceConfig,
  serviceConfig,
} from '@lanyard/service';
import { accountBytesMaxDefault, retentionDaysDefault } from './limits.js';

export const app = 'campaigns';

/** URI schemes by which a device may pull a package (LwM2M 1.1 core appendix E.6, resource 8). */
export const packageSchemes = ['coap', 'coaps', 'http', 'https', 'coap+tcp', 'coaps+tcp'] as const;
export type PackageScheme = (typeof packageSchemes)[number];

/** Where devices pull packages from: `/downloads/<ticket>` is appended. */
export interface PackageSource {
  scheme: PackageScheme;
  baseUrl: string;
}

export interface S3Storage {
  bucket: string;
  /** Prefix of the keys of objects. */
  prefix: string;
  region: string;
  /** The endpoint of a store other than that of AWS; its URLs have the bucket in the path. */
  endpoint?: string;
  /** Absent: as the SDK finds them, for example by the identity of the workload. */
  credentials?: S3Credentials;
}

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

export interface CampaignsConfig extends ServiceConfig {
  /** Where the bytes of packages are. */
  storage: { kind: 'disk'; folder: string } | ({ kind: 's3' } & Omit<S3Storage, 'credentials'>);
  /** Bytes of all packages of an account. */
  accountBytesMax: number;
  /** In the order of preference; without any, packages are only pushed. */
  packageSources: PackageSource[];
  /** First pause between two reads of the state of a device that downloads or installs. */
  pollMinMs: number;
  /** How long a campaign is kept after its end. */
  retentionDays: number;
  secrets: ServiceConfig['secrets'] & {
    /** Seals the tickets of downloads in commands. */
    encryptionKey: EncryptionKeys;
    s3?: S3Credentials;
  };
}

const s3Credentials = (reader: EnvReader): S3Credentials | undefined => {
  const [accessKeyId, secretAccessKey] = [
    reader.optional('CAMPAIGNS_S3_ACCESS_KEY_ID'),
    reader.optional('CAMPAIGNS_S3_SECRET_ACCESS_KEY'),
  ];
  if (accessKeyId !== undefined && secretAccessKey !== undefined) return { accessKeyId, secretAccessKey };
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  throw new ConfigError('CAMPAIGNS_S3_SECRET_ACCESS_KEY', 'must be set together with CAMPAIGNS_S3_ACCESS_KEY_ID');
};

const endpointOf = (reader: EnvReader): string | undefined => {
  const endpoint = reader.optional('CAMPAIGNS_S3_ENDPOINT');
  if (endpoint !== undefined && !/^https?:\/\/[^/?#@\s]+\/?$/.test(endpoint))
    throw new ConfigError(
      'CAMPAIGNS_S3_ENDPOINT',
      'must be an http:// or https:// URL with a host and an optional port',
    );
  return endpoint;
};

const storage = (reader: EnvReader): CampaignsConfig['storage'] => {
  const bucket = reader.optional('CAMPAIGNS_S3_BUCKET');
  const endpoint = endpointOf(reader);
  const settings = {
    prefix: reader.string('CAMPAIGNS_S3_PREFIX', ''),
    region: reader.string('CAMPAIGNS_S3_REGION', 'us-east-1'),
    ...(endpoint !== undefined && { endpoint }),
  };
  if (bucket === undefined) return { kind: 'disk', folder: reader.string('CAMPAIGNS_DATA_DIR') };
  return { kind: 's3', bucket, ...settings };
};

const sourceOf = (uri: string): PackageSource => {
  const [, scheme = ''] = /^([a-z+]+):\/\/[^/?#@\s]+\/?$/.exec(uri) ?? [];
  const known = packageSchemes.find((one) => one === scheme);
  if (!known || !URL.canParse(uri))
    throw new ConfigError(
      'CAMPAIGNS_PACKAGE_URIS',
      `must hold URIs of the schemes ${packageSchemes.join(', ')} with a host and an optional port, not "${uri}"`,
    );
  return { scheme: known, baseUrl: uri.replace(/\/$/, '') };
};

const packageSources = (reader: EnvReader): PackageSource[] => reader.list('CAMPAIGNS_PACKAGE_URIS', []).map(sourceOf);

export const readConfig = (source?: NodeJS.ProcessEnv): CampaignsConfig => {
  const reader = env(source);
  const service = serviceConfig(reader, app);
  const s3 = s3Credentials(reader);
  return {
    ...service,
    secrets: { ...service.secrets, encryptionKey: encryptionKey(reader), ...(s3 && { s3 }) },
    storage: storage(reader),
    accountBytesMax: reader.int('CAMPAIGNS_ACCOUNT_BYTES_MAX', accountBytesMaxDefault, { min: 1 }),
    packageSources: packageSources(reader),
    pollMinMs: reader.int('CAMPAIGNS_POLL_MIN_MS', 5_000, { min: 100, max: 300_000 }),
    retentionDays: reader.int('CAMPAIGNS_RETENTION_DAYS', retentionDaysDefault, { min: 1, max: 3_660 }),
  };
};
