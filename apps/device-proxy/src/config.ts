import { commonConfig, type CommonConfig, ConfigError, env } from '@lanyard/service';

/** CoAP over UDP without security: for development, in a network nobody else can reach. */
export interface CoapConfig {
  host: string;
  port: number;
  /** The account whose devices come in here. */
  accountId: string;
}

export interface DeviceProxyConfig extends CommonConfig {
  redisPrefix: string;
  /** undefined: no listener. */
  coap?: CoapConfig;
}

const app = 'device-proxy';

const accountIdIn = (text: string): string => {
  if (!/^[0-9a-f]{32}$/.test(text))
    throw new ConfigError('DEVICE_PROXY_COAP_NOSEC_ACCOUNT_ID', 'must be an account id (32 hex)');
  return text;
};

export const readConfig = (source?: NodeJS.ProcessEnv): DeviceProxyConfig => {
  const reader = env(source);
  const enabled = reader.bool('DEVICE_PROXY_COAP_NOSEC_ENABLED', false);
  return {
    ...commonConfig(reader, app),
    redisPrefix: reader.string('DEVICE_PROXY_REDIS_PREFIX', 'device-proxy:'),
    ...(enabled && {
      coap: {
        host: reader.string('DEVICE_PROXY_COAP_HOST', '127.0.0.1'),
        port: reader.int('DEVICE_PROXY_COAP_PORT', 5683, { min: 0, max: 65_535 }),
        accountId: accountIdIn(reader.string('DEVICE_PROXY_COAP_NOSEC_ACCOUNT_ID')),
      },
    }),
  };
};
