import { Answers, type GivenAnswer } from './answers.js';
import type { Callers, Role } from './callers.js';
import { type Document, type Operation, operationsOf } from './document.js';
import type { KnownIds } from './known-ids.js';
import type { Random } from './random.js';
import { type GeneratedRequest, Requests } from './requests.js';

/** An answer that takes longer is a hang. */
const answerTimeoutMs = 60_000;
const eventStream = 'text/event-stream';
const inParallel = 8;
const problemsMax = 20;

export interface Barrage {
  sent: number;
  /** Requests by status. */
  statuses: Record<string, number>;
  /** Operations that never answered with less than 400. */
  neverSucceeded: string[];
  problems: string[];
}

const creates = ({ method, path }: Operation): boolean => method === 'POST' && !path.includes('{');

const asCurl = ({ operation, url, headers, body }: GeneratedRequest): string =>
  [
    `curl -X ${operation.method} "$BASE${url}"`,
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body === undefined ? [] : [`-d ${JSON.stringify(body.slice(0, 2_000))}`]),
  ].join(' ');

/** A stream of events has no end: that it began is all there is to see. */
const textOf = async (response: Response, contentType: string): Promise<string> => {
  if (!contentType.startsWith(eventStream)) return response.text();
  await response.body?.cancel();
  return '';
};

const jsonOf = ({ contentType, text }: GivenAnswer): unknown =>
  contentType.includes('json') && text !== '' ? JSON.parse(text) : undefined;

/** Sends generated requests to every operation of a document, in rounds, until `goesOn` says no after a round. */
export class OpenApiBarrage {
  private readonly operations: Operation[];
  private readonly requests: Requests;
  private readonly answers: Answers;
  private readonly succeeded = new Set<Operation>();
  private readonly result: Barrage = { sent: 0, statuses: {}, neverSucceeded: [], problems: [] };

  constructor(
    document: Document,
    private readonly baseUrl: string,
    private readonly callers: Callers,
    private readonly idsOf: Readonly<Record<Role, KnownIds>>,
    private readonly random: Random,
    hints: Record<string, readonly string[]>,
  ) {
    this.operations = operationsOf(document);
    this.requests = new Requests(document, random, idsOf, hints);
    this.answers = new Answers(document);
  }

  async run(goesOn: (rounds: number) => boolean): Promise<Barrage> {
    for (let rounds = 0; goesOn(rounds) && this.result.problems.length < problemsMax; rounds++) {
      const batch = this.random.shuffled(this.operations).sort((a, b) => Number(creates(b)) - Number(creates(a)));
      // A few at a time, made just before they go out: what the ones before created is known by then.
      for (let n = 0; n < batch.length; n += inParallel)
        await Promise.all(batch.slice(n, n + inParallel).map((operation) => this.send(this.requests.of(operation))));
    }
    this.result.neverSucceeded = this.operations
      .filter((operation) => !this.succeeded.has(operation))
      .map(({ method, path }) => `${method} ${path}`);
    return this.result;
  }

  private async send(request: GeneratedRequest): Promise<void> {
    const { operation, url, headers, body } = request;
    const caller = await this.callers.for(request.role);
    const { result } = this;
    result.sent++;
    try {
      const response = await fetch(this.baseUrl + url, {
        method: operation.method,
        headers: { authorization: `Bearer ${caller.key}`, ...headers },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(answerTimeoutMs),
      });
      const contentType = response.headers.get('content-type') ?? '';
      const answer = { status: response.status, contentType, text: await textOf(response, contentType) };
      result.statuses[answer.status] = (result.statuses[answer.status] ?? 0) + 1;
      const problem = this.answers.problemWith(operation, answer);
      if (problem !== undefined)
        result.problems.push(`${problem}\n  ${asCurl(request)}\n  ${answer.status} ${answer.text.slice(0, 500)}`);
      if (answer.status < 400) {
        this.succeeded.add(operation);
        this.idsOf[request.role].learn(operation.path, jsonOf(answer));
      }
      caller.answered(answer.status);
    } catch (error) {
      result.problems.push(`no answer: ${String((error as Error).cause ?? error)}\n  ${asCurl(request)}`);
    }
  }
}
