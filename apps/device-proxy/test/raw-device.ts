import { createSocket, type Socket } from 'node:dgram';
import { type CoapMessage, type CoapOption, Code, decodeMessage, encodeMessage, formatCode } from '@lanyard/coap';
import { eventually } from '@lanyard/testing';

const observe = 6;
const locationPath = 8;
const uriPath = 11;
const contentFormat = 12;
const maxAgeOption = 14;
const uriQuery = 15;
const linkFormat = 40;
const unknownCritical = 2_049;

const option = (number: number, value: string | number): CoapOption => ({
  number,
  value: Buffer.from(typeof value === 'string' ? value : value === 0 ? [] : [value]),
});

/** Between the message ids of two attempts to register; tests use small ones. */
const nextAttempt = 1_000;

export interface Report {
  /** Observe number, below 256. */
  number: number;
  messageId: number;
  payload: string;
  /** None: the notification does not say. */
  format?: number;
  /** Seconds, below 256. None: the device does not say. */
  maxAge?: number;
  type?: CoapMessage['type'];
}

/** A device of which each datagram is the test's: what it sends twice, in which order, and with which numbers. */
export class RawDevice {
  /** How it answers what it is asked to observe; the request gets no answer before. */
  onObserve: (request: CoapMessage) => void = () => undefined;
  /** How it answers other requests; they get no answer before. */
  onRequest: (request: CoapMessage) => void = () => undefined;
  readonly heard: CoapMessage[] = [];
  private socket!: Socket;

  private constructor(private port: number) {}

  /** From a port of its own. */
  private async open(): Promise<void> {
    this.socket = createSocket('udp4');
    this.socket.on('message', (bytes) => {
      const message = decodeMessage(bytes);
      this.heard.push(message);
      if (message.type !== 'CON' || message.code === 0) return;
      if (message.options.some(({ number }) => number === observe)) this.onObserve(message);
      else this.onRequest(message);
    });
    await new Promise<void>((resolve) => this.socket.bind(0, '127.0.0.1', resolve));
  }

  /** To another replica from now on. */
  talkTo(port: number): void {
    this.port = port;
  }

  /** Its address is another one now. */
  async rebind(): Promise<void> {
    this.socket.close();
    await this.open();
  }

  /** Registered under the name. */
  static async registered(port: number, name: string, links: string): Promise<RawDevice> {
    const device = new RawDevice(port);
    await device.open();
    await device.register(name, links, 1);
    return device;
  }

  /** Under another name from the same address: the location of this registration counts from now on. */
  async register(name: string, links: string, messageId: number): Promise<void> {
    const query = [`ep=${name}`, 'lt=300', 'lwm2m=1.1', 'b=U'].map((one) => option(uriQuery, one));
    const heardBefore = this.heard.length;
    let attempt = messageId;
    const ask = (): void =>
      this.send({
        type: 'CON',
        code: Code.POST,
        messageId: attempt,
        token: Buffer.from('register'),
        options: [option(uriPath, 'rd'), option(contentFormat, linkFormat), ...query],
        payload: Buffer.from(links),
      });
    ask();
    await eventually(() => {
      const answer = this.heard.slice(heardBefore).find((one) => one.messageId === attempt && one.code >= Code.Created);
      if (!answer) throw new Error('not registered');
      if (answer.code !== Code.Created) {
        // On a busy machine a new device may have to ask more than once.
        attempt += nextAttempt;
        ask();
        throw new Error(`not registered: ${formatCode(answer.code)}`);
      }
      if (attempt !== messageId) this.heard.push({ ...answer, messageId });
    });
  }

  /** Requests that came in. */
  requests(): CoapMessage[] {
    return this.heard.filter(({ type, code }) => type === 'CON' && code > 0 && code < Code.Created);
  }

  /** Updates the registration that was answered in this message, or the only one. */
  update(messageId: number, registeredIn?: number): void {
    const created = this.heard.find(
      (one) => one.code === Code.Created && (registeredIn === undefined || one.messageId === registeredIn),
    );
    const location = created?.options.filter(({ number }) => number === locationPath) ?? [];
    this.send({
      type: 'CON',
      code: Code.POST,
      messageId,
      token: Buffer.from('update'),
      options: location.map(({ value }) => ({ number: uriPath, value })),
      payload: Buffer.alloc(0),
    });
  }

  /** The first representation, in the acknowledgement. */
  answer({ messageId, token }: CoapMessage, report: Omit<Report, 'messageId' | 'type'>): void {
    this.send({ type: 'ACK', ...this.content(report), messageId, token });
  }

  /** A value, in the acknowledgement. */
  respond({ messageId, token }: CoapMessage, payload: string): void {
    this.send({ type: 'ACK', code: Code.Content, messageId, token, options: [], payload: Buffer.from(payload) });
  }

  refuse({ messageId, token }: CoapMessage, code: number): void {
    this.send({ type: 'ACK', code, messageId, token, options: [], payload: Buffer.alloc(0) });
  }

  /** As a device that has rebooted since it got the first copy. */
  reset({ messageId }: CoapMessage): void {
    const nothing = Buffer.alloc(0);
    this.send({ type: 'RST', code: Code.Empty, messageId, token: nothing, options: [], payload: nothing });
  }

  /** With an unknown critical option (RFC 7252 §5.4.1). */
  answerUnusably({ messageId, token }: CoapMessage): void {
    this.send({
      type: 'ACK',
      code: Code.Content,
      messageId,
      token,
      options: [option(unknownCritical, 0)],
      payload: Buffer.from('1'),
    });
  }

  notify(token: Buffer, { type = 'CON', messageId, ...report }: Report): void {
    this.send({ type, ...this.content(report), messageId, token });
  }

  /** A value under the token, without an observe number: no other one follows (RFC 7641 §4.2). */
  reportLast(token: Buffer, messageId: number, payload: string): void {
    const options = [option(contentFormat, 0)];
    this.send({ type: 'CON', code: Code.Content, messageId, token, options, payload: Buffer.from(payload) });
  }

  /** A notification with an unknown critical option (RFC 7252 §5.4.1). */
  notifyUnusably(token: Buffer, messageId: number, payload: string): void {
    const options = [option(observe, 2), option(contentFormat, 0), option(unknownCritical, 0)];
    this.send({ type: 'CON', code: Code.Content, messageId, token, options, payload: Buffer.from(payload) });
  }

  /** Notifies, and waits for the empty message that answers it. */
  async told(token: Buffer, report: Report): Promise<CoapMessage['type']> {
    this.notify(token, report);
    return this.answered(report.messageId);
  }

  answered(messageId: number): Promise<CoapMessage['type']> {
    return eventually(() => {
      const index = this.heard.findIndex((one) => one.messageId === messageId && one.code === 0);
      const [answer] = index < 0 ? [] : this.heard.splice(index, 1);
      if (!answer) throw new Error(`no answer to ${messageId}`);
      return answer.type;
    });
  }

  close(): void {
    this.socket.close();
  }

  private content({
    number,
    payload,
    format,
    maxAge,
  }: Omit<Report, 'messageId' | 'type'>): Pick<CoapMessage, 'code' | 'options' | 'payload'> {
    const options = [
      option(observe, number),
      ...(format === undefined ? [] : [option(contentFormat, format)]),
      ...(maxAge === undefined ? [] : [option(maxAgeOption, maxAge)]),
    ];
    return { code: Code.Content, options, payload: Buffer.from(payload) };
  }

  private send(message: CoapMessage): void {
    this.socket.send(encodeMessage(message), this.port, '127.0.0.1');
  }
}
