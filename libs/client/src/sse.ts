/** One message of a stream of server-sent events; fields that it lacks are undefined. */
export interface ServerSentEvent {
  /** The id to resume from. */
  id: string | undefined;
  event: string | undefined;
  data: string | undefined;
  /** How long to wait before reconnecting. */
  retryMs: number | undefined;
}

const messageOf = (block: string): ServerSentEvent => {
  const fields = new Map<string, string[]>();
  for (const line of block.split('\n')) {
    const [name = '', ...rest] = line.split(':');
    const value = rest.join(':').replace(/^ /, '');
    fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  const retry = fields.get('retry')?.at(-1);
  return {
    id: fields.get('id')?.at(-1),
    event: fields.get('event')?.at(-1),
    data: fields.get('data')?.join('\n'),
    retryMs: retry === undefined ? undefined : Number(retry),
  };
};

/** Messages of a stream, including comments, which show that the stream is alive. An incomplete last message is dropped. */
export async function* serverSentEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    yield* blocks.map(messageOf);
  }
}
