/** What arrived over a stream of server-sent events. */
export class SseClient {
  readonly messages: { id: string; data: Record<string, unknown> }[] = [];
  readonly comments: string[] = [];
  /** What to come back with. */
  lastEventId: string | undefined;
  end: string | undefined;
  closed = false;
  private readonly aborter = new AbortController();

  /** Rejects when the answer is no stream. */
  async open(connect: (signal: AbortSignal) => Promise<Response>): Promise<this> {
    const response = await connect(this.aborter.signal);
    const type = response.headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream') || !response.body)
      throw new Error(`${response.status} ${type}: ${await response.text()}`);
    void this.read(response.body);
    return this;
  }

  get ids(): string[] {
    return this.messages.map(({ id }) => id);
  }

  leave(): void {
    this.aborter.abort();
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) this.take(frame);
      }
    } catch {
      // Cut: `closed` says it.
    }
    this.closed = true;
  }

  private take(frame: string): void {
    if (frame.startsWith(':')) return void this.comments.push(frame);
    const fields = new Map(
      frame.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
    );
    this.lastEventId = fields.get('id') ?? this.lastEventId;
    const data = fields.get('data');
    if (data === undefined) return;
    const parsed = JSON.parse(data) as Record<string, unknown>;
    if (fields.get('event') === 'end') this.end = String(parsed['reason']);
    else this.messages.push({ id: fields.get('id') ?? '', data: parsed });
  }
}
