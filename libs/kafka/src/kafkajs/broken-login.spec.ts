import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';
import { retryBrokenLogin } from './broken-login.js';

const require = createRequire(import.meta.url);

interface Authenticator {
  authenticate(): Promise<void>;
}

interface Errors {
  KafkaJSConnectionClosedError: new (message: string) => Error;
  KafkaJSRequestTimeoutError: new (message: string) => Error;
  KafkaJSProtocolError: new (described: object) => Error;
}

const Authenticator = require('kafkajs/src/broker/saslAuthenticator/index.js') as new (
  connection: object,
  logger: object,
  versions: object,
  isSupported: boolean,
) => Authenticator;
const errors = require('kafkajs/src/errors.js') as Errors;

/** Of the requests SaslHandshake and SaslAuthenticate. */
const versions = { 17: { minVersion: 0, maxVersion: 1 }, 36: { minVersion: 0, maxVersion: 1 } };

const noop = (): void => undefined;
const logger = { namespace: () => ({ debug: noop, error: noop }) };

/** A login that begins, and then fails with this error. */
const login = (mechanism: string, error: Error): Promise<void> => {
  const connection = {
    sasl: { mechanism, username: 'user', password: 'secret' },
    send: async ({ request }: { request: { apiName: string } }) => {
      if (request.apiName !== 'SaslHandshake') throw error;
      return { enabledMechanisms: [mechanism.toUpperCase()] };
    },
  };
  return new Authenticator(connection, logger, versions, true).authenticate();
};

const closed = new errors.KafkaJSConnectionClosedError('Closed connection');
const silent = new errors.KafkaJSRequestTimeoutError('Request SaslAuthenticate timed out');
const refused = new errors.KafkaJSProtocolError({ message: 'wrong password', retriable: false });

it('a connection that is lost during a login is no reason to give up, though it is one for kafkajs', async () => {
  const givenUp = { name: 'KafkaJSSASLAuthenticationError', retriable: false };
  await expect(login('plain', closed)).rejects.toMatchObject(givenUp);
  retryBrokenLogin();
  for (const mechanism of ['plain', 'scram-sha-512'])
    for (const error of [closed, silent]) await expect(login(mechanism, error)).rejects.toBe(error);
  await expect(login('plain', refused)).rejects.toMatchObject(givenUp);
});
