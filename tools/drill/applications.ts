/** Two applications, each with its own key: one with a WebSocket, one with a callback. */
import { callbackEvents, ConnectionLost, Lanyard, textOf, type LanyardEvent } from '@lanyard/client';
import { CallbackReceiver } from '@lanyard/testing';

/** Path of the resource whose notifications both applications want. */
export const sensorPath = '/3303/0/5700';
/** A client with a key of its own, and a rule that subscribes it to the sensor of every simulated device. */
export const sensorClient = async (baseUrl: string, administrator: Lanyard, name: string) => {
  const { key } = await administrator.call('POST /v3/api-keys', { body: { name } });
  const lanyard = new Lanyard({ baseUrl, key, retries: 10 });
  const rules = [{ 'endpoint-type': 'simulated', 'resource-path': [sensorPath] }];
  await lanyard.call('PUT /v2/subscriptions', { body: rules });
  return { key, lanyard };
};

/** What arrived on one channel: the numbers of each device in the order of their first arrival. */
export class Inbox {
  values = new Map<string, { first: number[]; seen: Set<number> }>();
  /** How often each response arrived, by async-id. */
  responses = new Map<string, number>();
  items = 0;
  repeated = 0;
  name: string;

  constructor(name: string) {
    this.name = name;
  }

  take(event: LanyardEvent) {
    this.items++;
    if (event.category === 'async-responses')
      this.responses.set(event.asyncId, (this.responses.get(event.asyncId) ?? 0) + 1);
    if (event.category !== 'notifications' || event.path !== sensorPath) return;
    const number = Number(textOf(event.payload));
    if (Number.isInteger(number)) this.note(event.deviceId, number);
  }

  note(device: string, number: number) {
    const known = this.values.get(device) ?? { first: [], seen: new Set() };
    this.values.set(device, known);
    if (known.seen.has(number)) this.repeated++;
    else known.first.push(number);
    known.seen.add(number);
  }
}

export class SocketApplication {
  inbox = new Inbox('WebSocket');
  /** The first connection counts as well, so the count starts below 0. */
  reconnects = -1;
  /** How the socket was closed since `closes` was last taken. */
  closes: ConnectionLost[] = [];
  isOpen = false;
  stop = () => {};

  async start(lanyard: Lanyard) {
    const channel = await lanyard.listen({
      reconnectMaxMs: 500,
      onState: (state) => {
        if (state === 'open') this.reconnects++;
        this.isOpen = state === 'open';
      },
      onLost: (error) => {
        // A failed attempt to connect reports 1006 too.
        if (this.isOpen && error instanceof ConnectionLost) this.closes.push(error);
        this.isOpen = false;
      },
    });
    this.stop = () => channel.close();
    void this.read(channel);
    return this;
  }

  async read(channel: AsyncIterable<LanyardEvent>) {
    for await (const event of channel) this.inbox.take(event);
  }
}

export class CallbackApplication {
  inbox = new Inbox('callback');
  receiver = new CallbackReceiver();

  /** @param host an address of this machine that the dispatchers reach */
  async start(lanyard: Lanyard, host?: string) {
    this.receiver.onCall = ({ body }) => {
      for (const event of callbackEvents(Buffer.from(body))) this.inbox.take(event);
    };
    await this.receiver.start(host);
    await lanyard.call('PUT /v2/notification/callback', { body: { url: this.receiver.url } });
    return this;
  }

  stop() {
    void this.receiver.stop();
  }
}
