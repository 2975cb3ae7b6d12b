import { ConfigError, type EnvReader } from './env.js';
import { readTls, tlsFiles, type TlsMaterial } from './tls-files.js';

const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

export interface KafkaLogin {
  mechanism: (typeof mechanisms)[number];
  username: string;
  password: string;
}

/** Security settings of broker connections. Contains secrets, which are omitted when it is printed. */
export class KafkaSecurity {
  readonly #tls: TlsMaterial | undefined;
  readonly #login: KafkaLogin | undefined;

  constructor(tls: TlsMaterial | undefined, login: KafkaLogin | undefined) {
    this.#tls = tls;
    this.#login = login;
  }

  /** undefined: no TLS. */
  get tls(): TlsMaterial | undefined {
    return this.#tls;
  }

  /** undefined: no SASL. */
  get login(): KafkaLogin | undefined {
    return this.#login;
  }
}

const mechanismOf = (text: string): KafkaLogin['mechanism'] => {
  const known = mechanisms.find((mechanism) => mechanism === text.toLowerCase());
  if (!known) throw new ConfigError('KAFKA_SASL_MECHANISM', `must be one of ${mechanisms.join(', ')}, not "${text}"`);
  return known;
};

const loginFrom = (reader: EnvReader): KafkaLogin | undefined => {
  const mechanism = reader.optional('KAFKA_SASL_MECHANISM');
  const username = reader.optional('KAFKA_SASL_USERNAME');
  const password = reader.optional('KAFKA_SASL_PASSWORD');
  if (mechanism === undefined) {
    if (username ?? password)
      throw new ConfigError('KAFKA_SASL_MECHANISM', 'must be set, because a user name or password is set');
    return undefined;
  }
  if (username === undefined) throw new ConfigError('KAFKA_SASL_USERNAME', 'is not set');
  if (password === undefined) throw new ConfigError('KAFKA_SASL_PASSWORD', 'is not set');
  return { mechanism: mechanismOf(mechanism), username, password };
};

/** From `KAFKA_TLS_…` and `KAFKA_SASL_…`. */
export const kafkaSecurity = (reader: EnvReader): KafkaSecurity => {
  const files = tlsFiles(reader, 'KAFKA');
  const login = loginFrom(reader);
  if (login?.mechanism === 'plain' && !files)
    throw new ConfigError('KAFKA_SASL_MECHANISM', 'plain sends the password unencrypted: set KAFKA_TLS_ENABLED too');
  return new KafkaSecurity(files && readTls(files), login);
};
