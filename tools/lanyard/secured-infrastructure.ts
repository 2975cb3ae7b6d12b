/**
 * Kafka, PostgreSQL and Redis as a careful operator runs them: TLS everywhere, Kafka with SASL, client certificates and an
 * authorizer that denies everything without an ACL, PostgreSQL that requires TLS, Redis with an ACL user and no default user. For
 * tests and for trying out.
 */
import { createHash } from 'node:crypto';
import { chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateAuthority } from '@lanyard/testing';
import { kafka, postgresql, redis, type ServerFolders } from './infrastructure-processes.ts';
import { fetchInfrastructure } from './fetch-infrastructure.ts';
import { tcpPort } from './ports.ts';
import { answers, waitUntil } from './probes.ts';
import { isProcess, launch, stopProcess } from './processes.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export const user = 'lanyard';
/** A password that needs escaping in a URL. */
export const password = 'p/w:@ ü';

const write = (path: string, text: string) => {
  writeFileSync(path, text, { mode: 0o600 });
  return path;
};

/** An authority, a certificate for localhost, and one for clients. */
const certificates = (folder: string) => {
  mkdirSync(folder, { recursive: true });
  const authority = certificateAuthority('infrastructure');
  const server = authority.issue('localhost', { hosts: ['localhost', '127.0.0.1'] });
  const client = authority.issue(user);
  return {
    authority,
    server,
    caFile: write(join(folder, 'ca.pem'), authority.certificate),
    serverFile: write(join(folder, 'server.pem'), server.certificate),
    serverKeyFile: write(join(folder, 'server.key'), server.privateKey),
    clientFile: write(join(folder, 'client.pem'), client.certificate),
    clientKeyFile: write(join(folder, 'client.key'), client.privateKey),
  };
};

type Certificates = ReturnType<typeof certificates>;

/** A multi-line value of a properties file. */
const inOneLine = (text: string) => text.replaceAll('\n', '\\n');

const kafkaSecurity = ({ authority, server }: Certificates, port: number, internal: number, controller: number) => `
listeners=CLIENTS://127.0.0.1:${port},PLAINTEXT://127.0.0.1:${internal},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=CLIENTS://localhost:${port},PLAINTEXT://127.0.0.1:${internal}
listener.security.protocol.map=CLIENTS:SASL_SSL,CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
ssl.keystore.type=PEM
ssl.keystore.certificate.chain=${inOneLine(server.certificate)}
ssl.keystore.key=${inOneLine(server.privateKey)}
ssl.truststore.type=PEM
ssl.truststore.certificates=${inOneLine(authority.certificate)}
listener.name.clients.ssl.client.auth=required
sasl.enabled.mechanisms=SCRAM-SHA-512,PLAIN
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
listener.name.clients.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.clients.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_${user}="${password.replace('ü', '\\u00fc')}";
`;

const securedPostgresql = (folders: ServerFolders, port: number, { server }: Certificates) => {
  const spec = postgresql(folders, port, password);
  const data = spec.args[spec.args.indexOf('-D') + 1] ?? '';
  const { uid, gid } = statSync(data);
  const files = [
    write(join(data, 'server.pem'), server.certificate),
    write(join(data, 'server.key'), server.privateKey),
    write(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n'),
  ];
  for (const path of files) chownSync(path, uid, gid);
  const tls = ['-c', 'ssl=on', '-c', 'ssl_cert_file=server.pem', '-c', 'ssl_key_file=server.key'];
  return { ...spec, args: [...spec.args, ...tls] };
};

const securedRedis = (folders: ServerFolders, port: number, { caFile, serverFile, serverKeyFile }: Certificates) => {
  const spec = redis(folders, 0);
  const tls = ['--tls-port', String(port), '--tls-cert-file', serverFile, '--tls-key-file', serverKeyFile];
  return {
    ...spec,
    args: [
      ...spec.args,
      ...[...tls, '--tls-ca-cert-file', caFile, '--tls-auth-clients', 'optional'],
      // A line of configuration cannot contain a password with a space, but it can contain its hash.
      ...['--user', 'default', 'off', '--user', user, 'on', `#${sha256(password)}`, '~*', '&*', '+@all'],
    ],
  };
};

/** Starts the three servers. `env`: the variables with which a service reaches them. `stop` ends them; the data stay. */
export const startSecuredInfrastructure = async (dataDir: string) => {
  const certified = certificates(join(dataDir, 'certificates'));
  const folders = { binaries: await fetchInfrastructure(), data: dataDir, logs: join(dataDir, 'logs'), fast: true };
  const [kafkaPort, internal, controller] = [await tcpPort(0), await tcpPort(0), await tcpPort(0)];
  const [postgresPort, redisPort] = [await tcpPort(0), await tcpPort(0)];
  const scram = `SCRAM-SHA-512=[name=${user},password=${password}]`;
  const servers = [
    { port: redisPort, spec: securedRedis(folders, redisPort, certified) },
    { port: postgresPort, spec: securedPostgresql(folders, postgresPort, certified) },
    {
      port: kafkaPort,
      spec: kafka(folders, kafkaPort, controller, {
        properties: kafkaSecurity(certified, kafkaPort, internal, controller),
        format: ['--add-scram', scram],
      }),
    },
  ].map((server) => ({ ...server, pid: launch(server.spec) }));
  const stop = async () => {
    await Promise.all(servers.map(({ pid, spec }) => stopProcess(pid, { signal: spec.stopSignal, waitMs: 20_000 })));
  };
  try {
    for (const { port, spec, pid } of servers)
      await waitUntil(spec.marker, () => answers.listener('127.0.0.1', port), {
        alive: () => isProcess(pid, spec.marker),
        hint: `See ${spec.logFile}`,
      });
  } catch (error) {
    await stop();
    throw error;
  }
  const login = `${user}:${encodeURIComponent(password)}`;
  const { caFile, clientFile, clientKeyFile } = certified;
  return {
    stop,
    /** A listener without TLS and login, where everything is permitted. */
    internalBroker: `127.0.0.1:${internal}`,
    env: {
      KAFKA_BROKERS: `localhost:${kafkaPort}`,
      KAFKA_TLS_ENABLED: 'true',
      KAFKA_TLS_CA_FILE: caFile,
      KAFKA_TLS_CERTIFICATE_FILE: clientFile,
      KAFKA_TLS_PRIVATE_KEY_FILE: clientKeyFile,
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: user,
      KAFKA_SASL_PASSWORD: password,
      DATABASE_URL: `postgres://${login}@localhost:${postgresPort}/postgres`,
      DATABASE_TLS_ENABLED: 'true',
      DATABASE_TLS_CA_FILE: caFile,
      REDIS_URL: `rediss://${login}@localhost:${redisPort}`,
      REDIS_TLS_CA_FILE: caFile,
    },
  };
};
