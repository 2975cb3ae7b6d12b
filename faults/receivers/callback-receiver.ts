/** The customer's HTTP server of one callback channel, and the ways in which such a server may misbehave. */
import { sleep } from '../../tools/lanyard/project.ts';
import { CallbackReceiver as Receiver } from '@lanyard/testing';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, History } from '../history.ts';

interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  record: (answer: Answer) => void;
}

type Behaviour = (call: Call) => void | Promise<void>;

interface Attempt {
  beganAtMs: number;
  endedAtMs: number;
  answer: Answer;
  behaviour: string;
}

const gone = (response: ServerResponse) =>
  new Promise((done) => (response.destroyed ? done(undefined) : response.once('close', () => done(undefined))));

/** Accepts the request and answers. If the service has hung up, it gets no answer, and the outcome is unknown. */
const accept = ({ request, response, record }: Call, answer: () => void) => {
  if (response.destroyed || request.socket.destroyed) return record('unknown');
  record('accepted');
  answer();
};

const refuseWith =
  (status: number): Behaviour =>
  ({ response, record }) => {
    record('refused');
    response.writeHead(status, status === 301 ? { location: 'http://127.0.0.1:1/' } : {}).end('no');
  };

const acceptAfter =
  (delayMs: number, status: number): Behaviour =>
  async (call) => {
    await sleep(delayMs);
    accept(call, () => call.response.writeHead(status).end());
  };

const behaviours: Record<string, Behaviour> = {
  accepts: (call) => accept(call, () => call.response.writeHead(204).end()),
  answers200: (call) => accept(call, () => call.response.writeHead(200).end('thank you')),
  slow: acceptAfter(300, 204),
  late: acceptAfter(19_000, 200),
  fails: refuseWith(500),
  isBusy: refuseWith(503),
  redirects: refuseWith(301),
  answers201: refuseWith(201),
  resets: ({ request, record }) => {
    record('refused');
    request.socket.resetAndDestroy();
  },
  /** Has received the request, but dies before it can answer. */
  dies: ({ request, record }) => {
    record('unknown');
    request.socket.destroy();
  },
  hangs: async ({ response, record }) => {
    await gone(response);
    record('refused');
  },
  /** Sends more than any client wants to read. */
  floods: (call) =>
    accept(call, () => {
      const { response } = call;
      const block = Buffer.alloc(65_536, 'x');
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(block));
      };
      response.on('drain', more);
      more();
    }),
  /** Answers with a good status, and then a body that never ends. */
  drips: async ({ response, record }) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 500);
    await gone(response);
    clearInterval(drip);
    record('refused');
  },
};

export class CallbackReceiver extends Receiver {
  attempts: Attempt[] = [];
  /** Name of a behaviour, or a function that returns one for each request. */
  behaviour: string | (() => string) = 'accepts';
  /** How many more times it hangs up before it has read the whole request. */
  hangUps = 0;
  history: History;
  channel: string;

  constructor(history: History, channel: string) {
    super();
    this.history = history;
    this.channel = channel;
    this.answer((request, response) => void this.behave(request, response));
  }

  /** Applies the behaviour to the next requests, and then accepts. */
  misbehave(behaviour: string, times = 1) {
    let left = times;
    this.behaviour = () => (left-- > 0 ? behaviour : 'accepts');
  }

  heal() {
    this.behaviour = 'accepts';
    this.hangUps = 0;
  }

  protected override async receive(request: IncomingMessage, response: ServerResponse) {
    if (this.hangUps <= 0) return super.receive(request, response);
    this.hangUps--;
    request.once('data', () => request.socket.destroy());
  }

  async behave(request: IncomingMessage, response: ServerResponse) {
    const { body: text = '', atMs = 0 } = this.calls.pop() ?? {};
    // The service verifies with this request that the address belongs to the customer.
    if (text === '{}') return void response.writeHead(204).end();
    response.on('error', () => undefined);
    const behaviour = typeof this.behaviour === 'string' ? this.behaviour : this.behaviour();
    await behaviours[behaviour]?.({
      ...{ request, response },
      record: (answer) => {
        this.attempts.push({ beganAtMs: atMs, endedAtMs: Date.now(), answer, behaviour });
        this.history.deliver(this.channel, text, answer);
      },
    });
  }
}
