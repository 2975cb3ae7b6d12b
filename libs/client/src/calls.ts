import { type Command, type CommandOptions, type CommandResult, Commands } from './commands.js';
import type { DeviceEvent } from './generated/api.js';
import { Http, type HttpOptions } from './http.js';
import type { AnswerOf, AnyInput, Arguments, ItemOf, ListOperation, Operation } from './operations.js';
import { itemsOfPages } from './pages.js';
import { Tail, type TailOptions } from './tail.js';

export interface CallsOptions {
  /** Address of the service, for example `https://lanyard.example`. */
  baseUrl: string;
  /** Time limit of one attempt of a request; default 30 s. */
  timeoutMs?: number;
  /** Retries of a request that may safely be repeated; default 3. */
  retries?: number;
  /** Used in place of the global `fetch`, for example to go through a proxy. */
  fetch?: typeof fetch;
}

/** Everything that HTTP alone allows, in Node and in browsers. Without a key, a browser's session authenticates. */
export class Calls {
  protected readonly http: Http;
  private readonly commands: Commands;

  constructor({ baseUrl, timeoutMs = 30_000, retries = 3, fetch = globalThis.fetch }: CallsOptions, key?: string) {
    const options: HttpOptions = {
      baseUrl: baseUrl.replace(/\/+$/, ''),
      key: key?.trim(),
      timeoutMs,
      retries,
      // A browser's fetch must be called as a function of the window.
      fetch: (...input) => fetch(...input),
    };
    this.http = new Http(options);
    this.commands = new Commands(this.http);
  }

  /**
   * Any operation of the interface, by method and path: `call('GET /v3/devices/{id}', { path: { id } })`. Retries after
   * temporary failures if the operation may be repeated. Throws RequestFailed, NoAnswer.
   */
  async call<K extends Operation>(operation: K, ...[input, options]: Arguments<K>): Promise<AnswerOf<K>> {
    return (await this.http.send(operation, input as AnyInput | undefined, options)) as AnswerOf<K>;
  }

  /** Items of a list operation, page after page: `for await (const device of lanyard.items('GET /v3/devices'))`. */
  items<K extends ListOperation>(operation: K, ...[input, options]: Arguments<K>): AsyncGenerator<ItemOf<K>> {
    return itemsOfPages(this.http, operation, input as AnyInput | undefined, options) as AsyncGenerator<ItemOf<K>>;
  }

  /** Sends a command to a device and waits for its result. Throws CommandFailed, CommandPending, RequestFailed. */
  command(deviceId: string, command: Command, options?: CommandOptions): Promise<CommandResult> {
    return this.commands.run(deviceId, command, options);
  }

  /** Sends a command and returns its async-id as soon as the command waits for the device. */
  sendCommand(deviceId: string, command: Command, options?: CommandOptions): Promise<string> {
    return this.commands.send(deviceId, command, options);
  }

  /** Waits for the result of a command that was sent before. */
  commandResult(asyncId: string, options?: Pick<CommandOptions, 'timeoutMs' | 'signal'>): Promise<CommandResult> {
    return this.commands.result(asyncId, options);
  }

  /** Reads a resource: `read(id, '/3303/0/5700')`. */
  async read(deviceId: string, path: string, options?: CommandOptions): Promise<string> {
    return (await this.command(deviceId, { method: 'GET', uri: path }, options)).text;
  }

  /**
   * Entries of the device event log as they are stored, from now on or after a given entry: `for await (const entry of await
   * lanyard.tail())`. Reconnects by itself and misses none. Throws RequestFailed, NoAnswer; the loop also throws TailEnded.
   */
  tail(options: TailOptions = {}): Promise<AsyncGenerator<DeviceEvent, void>> {
    return new Tail(this.http, options).open();
  }
}
