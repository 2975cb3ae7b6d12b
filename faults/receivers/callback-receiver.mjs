/** The customer's HTTP server of one callback channel, and the ways in which such servers misbehave. */
import { createServer } from 'node:http';

/**
 * @typedef {import('node:http').IncomingMessage} Request
 * @typedef {import('node:http').ServerResponse} Response
 * @typedef {{ text: string, request: Request, response: Response, record: (answer: import('../history.mjs').Answer) => void }} Call
 * @typedef {(call: Call) => void | Promise<void>} Behaviour
 * @typedef {{ beganAtMs: number, endedAtMs: number, answer: import('../history.mjs').Answer, behaviour: string }} Attempt
 */

const wait = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

const gone = (/** @type {Response} */ response) =>
  new Promise((done) => (response.destroyed ? done(undefined) : response.once('close', () => done(undefined))));

/** Who hung up before the answer knows nothing of it. @param {Call} call @param {() => void} answer */
const accept = ({ request, response, record }, answer) => {
  if (response.destroyed || request.socket.destroyed) return record('unknown');
  record('accepted');
  answer();
};

/** @param {number} status @returns {Behaviour} */
const refuseWith =
  (status) =>
  ({ response, record }) => {
    record('refused');
    response.writeHead(status, status === 301 ? { location: 'http://127.0.0.1:1/' } : {}).end('no');
  };

/** @param {number} delayMs @param {number} status @returns {Behaviour} */
const acceptAfter = (delayMs, status) => async (call) => {
  await wait(delayMs);
  accept(call, () => call.response.writeHead(status).end());
};

/** @type {Record<string, Behaviour>} */
export const behaviours = {
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
  /** Has it, and dies before it can say so. */
  dies: ({ request, record }) => {
    record('unknown');
    request.socket.destroy();
  },
  hangs: async ({ response, record }) => {
    await gone(response);
    record('refused');
  },
  /** More than anyone wants to read. */
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
  /** A good status, and then a body that never ends. */
  drips: async ({ response, record }) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 500);
    await gone(response);
    clearInterval(drip);
    record('refused');
  },
};

export class CallbackReceiver {
  /** @type {Attempt[]} */
  attempts = [];
  /** @type {string | (() => string)} name of a behaviour, or what gives it for each request */
  behaviour = 'accepts';
  /** Hangs up before it has read the whole request, so many times. */
  hangUps = 0;
  url = '';

  /** @param {import('../history.mjs').History} history @param {string} channel */
  constructor(history, channel) {
    this.history = history;
    this.channel = channel;
    this.server = createServer((request, response) => void this.receive(request, response));
    this.server.keepAliveTimeout = 30_000;
  }

  async start() {
    await new Promise((listening) => this.server.listen(0, '127.0.0.1', () => listening(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.server.address());
    this.url = `http://127.0.0.1:${port}/events`;
    return this;
  }

  /** Does this to the next requests, and then accepts. @param {string} behaviour */
  misbehave(behaviour, times = 1) {
    let left = times;
    this.behaviour = () => (left-- > 0 ? behaviour : 'accepts');
  }

  heal() {
    this.behaviour = 'accepts';
    this.hangUps = 0;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** @param {Request} request @param {Response} response */
  async receive(request, response) {
    const beganAtMs = performance.now();
    if (this.hangUps > 0) {
      this.hangUps--;
      return void request.once('data', () => request.socket.destroy());
    }
    /** @type {Buffer[]} */
    const parts = [];
    try {
      for await (const part of request) parts.push(part);
    } catch {
      return;
    }
    const text = Buffer.concat(parts).toString();
    // How the service finds out whether the address is the customer's.
    if (text === '{}') return void response.writeHead(204).end();
    response.on('error', () => undefined);
    const behaviour = typeof this.behaviour === 'string' ? this.behaviour : this.behaviour();
    await behaviours[behaviour]?.({
      ...{ text, request, response },
      record: (answer) => {
        this.attempts.push({ beganAtMs, endedAtMs: performance.now(), answer, behaviour });
        this.history.deliver(this.channel, text, answer);
      },
    });
  }
}
