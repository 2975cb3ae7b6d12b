import { connect, type Socket } from 'node:net';

export interface RawRequest {
  method: string;
  /** As it goes over the wire: no library has changed its spelling. */
  target: string;
  headers: Record<string, string>;
}

export interface RawAnswer {
  status: number;
  text: string;
}

const answerTimeoutMs = 60_000;
const headEnd = Buffer.from('\r\n\r\n');

const textOf = ({ method, target, headers }: RawRequest): string => {
  const lines = Object.entries({ host: 'localhost', 'content-length': '0', ...headers });
  return `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
};

interface Taken {
  text: string;
  /** Where the next answer begins. */
  end: number;
}

const takeChunks = (bytes: Buffer, begin: number): Taken | undefined => {
  let [text, at] = ['', begin];
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { text, end };
    text += bytes.toString('utf8', lineEnd + 2, end - 2);
    at = end;
  }
};

const takeBody = (head: string, bytes: Buffer, begin: number): Taken | undefined => {
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return takeChunks(bytes, begin);
  const end = begin + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return bytes.length < end ? undefined : { text: bytes.toString('utf8', begin, end), end };
};

/** One connection that is kept, on which requests go out without waiting for the answers before them (RFC 9112 §9.3.2). */
export class RawConnection {
  private socket: Socket | undefined;
  private isEnding = false;
  private bytes = Buffer.alloc(0);

  constructor(private readonly port: number) {}

  /** The answers in the order of the requests. What a connection that ends leaves unanswered is sent on a new one. */
  async send(requests: readonly RawRequest[]): Promise<RawAnswer[]> {
    const answers: RawAnswer[] = [];
    for (let failures = 0; answers.length < requests.length;) {
      const before = answers.length;
      await this.exchange(requests.slice(before), answers);
      // The server may have ended a connection that was kept: one more attempt (RFC 9112 §9.3.1).
      if (answers.length > before) failures = 0;
      else if (++failures > 1) throw new Error(`no answer to ${requests[before]?.method} ${requests[before]?.target}`);
    }
    return answers;
  }

  close(): void {
    this.socket?.destroy();
    this.socket = undefined;
    this.isEnding = false;
    this.bytes = Buffer.alloc(0);
  }

  private async exchange(requests: readonly RawRequest[], answers: RawAnswer[]): Promise<void> {
    const socket = (this.socket ??= connect({ port: this.port, host: '127.0.0.1', noDelay: true }));
    const wanted = answers.length + requests.length;
    await new Promise<void>((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`no answer to ${requests[0]?.target}`)), answerTimeoutMs);
      const end = (): void => {
        clearTimeout(timer);
        socket.removeAllListeners();
        socket.on('error', () => undefined);
        done();
      };
      socket.on('data', (data: Buffer) => {
        this.bytes = Buffer.concat([this.bytes, data]);
        for (let answer = this.take(); answer; answer = this.take()) answers.push(answer);
        if (answers.length < wanted && !this.isEnding) return;
        if (this.isEnding) this.close();
        end();
      });
      for (const event of ['error', 'close'])
        socket.on(event, () => {
          this.close();
          end();
        });
      socket.write(requests.map(textOf).join(''));
    });
  }

  private take(): RawAnswer | undefined {
    const at = this.bytes.indexOf(headEnd);
    if (at < 0 || this.isEnding) return undefined;
    const head = this.bytes.toString('latin1', 0, at);
    const body = takeBody(head, this.bytes, at + headEnd.length);
    if (!body) return undefined;
    this.bytes = this.bytes.subarray(body.end);
    this.isEnding ||= /\r\nconnection: close/i.test(head);
    return { status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 '.length + 3)), text: body.text };
  }
}
