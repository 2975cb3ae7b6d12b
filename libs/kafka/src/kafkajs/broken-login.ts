import { privateModule } from './modules.js';

type Request = (request: object) => Promise<unknown>;

interface Connection {
  readonly send: Request;
  readonly sendAuthRequest: Request;
}

interface SaslAuthenticator {
  connection: Connection;
  authenticate(): Promise<void>;
}

/** As kafkajs marks errors of connections and time-outs, but not the refusal of a login. */
const isTransient = (error: unknown): boolean => (error as { retriable?: unknown }).retriable === true;

/**
 * Correctness, not speed. When a connection breaks, or is not answered in time, while the client logs in with SASL, kafkajs
 * reports a refused login, which is fatal (kafkajs issue 1550): it ends the consumer, and with it the process. It is an
 * error of the connection, after which the client connects again.
 */
export const retryBrokenLogin = (): void => {
  const { prototype } = privateModule('broker/saslAuthenticator/index.js') as { prototype: SaslAuthenticator };
  const { authenticate } = prototype;
  prototype.authenticate = async function () {
    const { connection } = this;
    let broken: unknown;
    const send: Request = async (request) => {
      try {
        return await connection.send(request);
      } catch (error) {
        if (isTransient(error)) broken = error;
        throw error;
      }
    };
    // `sendAuthRequest`, for old brokers, changes the connection itself.
    const sendAuthRequest: Request = (request) => connection.sendAuthRequest(request);
    this.connection = Object.create(connection, {
      send: { value: send },
      sendAuthRequest: { value: sendAuthRequest },
    }) as Connection;
    try {
      await authenticate.call(this);
    } catch (error) {
      throw broken ?? error;
    }
  };
};
