import { privateModule } from './modules.js';

interface Request {
  response: { decode: unknown; parse(response: unknown): unknown };
}

interface Broker {
  lookupRequest(...api: unknown[]): (options: object) => Request;
  metadata(topics?: string[]): Promise<unknown>;
}

/**
 * Correctness, not speed. An administrative client of kafkajs asks for all topics of the cluster before most of what it does,
 * and fails when one of them, which may belong to another installation, has no leader: no service could start, or be ready,
 * until it has one. Asked for topics by name, a broker answers as before.
 */
export const listLeaderlessTopics = (): void => {
  const { prototype } = privateModule('broker/index.js') as { prototype: Broker };
  const { metadata } = prototype;
  prototype.metadata = function (topics = []) {
    if (topics.length > 0) return metadata.call(this, topics);
    const lookupRequest: Broker['lookupRequest'] = (...api) => {
      const requestOf = this.lookupRequest(...api);
      return (options) => {
        const request = requestOf(options);
        return { ...request, response: { ...request.response, parse: (response) => response } };
      };
    };
    return metadata.call(Object.create(this, { lookupRequest: { value: lookupRequest } }) as Broker, topics);
  };
};
