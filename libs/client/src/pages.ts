import type { AnyInput, CallOptions } from './operations.js';
import type { Http } from './http.js';

interface Page {
  data: { id?: string; reference?: string }[];
  has_more: boolean;
}

/** Items of all pages of a list operation; requests a page when the previous one is used up. */
export async function* itemsOfPages(
  http: Http,
  operation: string,
  input: AnyInput = {},
  options: CallOptions = {},
): AsyncGenerator<unknown> {
  for (let after = input.query?.['after']; ;) {
    const { data, has_more: more } = (await http.send(
      operation,
      { ...input, query: { ...input.query, after } },
      options,
    )) as Page;
    yield* data;
    const last = data.at(-1);
    if (!more || !last) return;
    after = last.id ?? last.reference;
  }
}
