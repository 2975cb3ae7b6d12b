import { Answers } from './answers.ts';
import type { Callers, Role } from './callers.ts';
import { type Document, type Operation, operationsOf } from './document.ts';
import { asCurl, exchange, jsonOf } from './exchange.ts';
import type { KnownIds } from './known-ids.ts';
import type { Random } from '../../tools/testing/random.ts';
import { type GeneratedRequest, GeneratedRequests } from './requests.ts';

const inParallel = 8;
const problemsMax = 20;

export interface FuzzResult {
  sent: number;
  /** Requests by status. */
  statuses: Record<string, number>;
  problems: string[];
}

/** In a round, operations that create come first, and those that delete come last, so that the others find records. */
const turn = ({ method, path }: Operation): number =>
  method === 'DELETE' ? 2 : method === 'POST' && !path.includes('{') ? 0 : 1;

/** Sends generated requests to every operation of a document, in rounds, until `mayContinue` returns false after a round. */
export class ApiFuzz {
  private readonly operations: Operation[];
  private readonly requests: GeneratedRequests;
  private readonly answers: Answers;
  private readonly result: FuzzResult = { sent: 0, statuses: {}, problems: [] };

  constructor(
    document: Document,
    private readonly baseUrl: string,
    private readonly callers: Callers,
    private readonly idsOf: Readonly<Record<Role, KnownIds>>,
    private readonly random: Random,
    hints: Record<string, readonly string[]>,
  ) {
    this.operations = operationsOf(document);
    this.requests = new GeneratedRequests(document, random, idsOf, hints);
    this.answers = new Answers(document);
  }

  async run(mayContinue: (rounds: number) => boolean): Promise<FuzzResult> {
    for (let rounds = 0; mayContinue(rounds) && this.result.problems.length < problemsMax; rounds++) {
      const batch = this.random.shuffled(this.operations).sort((a, b) => turn(a) - turn(b));
      // A few at a time, generated just before they are sent, so that the records that earlier requests created are known.
      for (let n = 0; n < batch.length; n += inParallel)
        await Promise.all(batch.slice(n, n + inParallel).map((operation) => this.send(this.requests.of(operation))));
    }
    return this.result;
  }

  private async send(request: GeneratedRequest): Promise<void> {
    const { operation, role } = request;
    const caller = await this.callers.for(role);
    const { result } = this;
    result.sent++;
    try {
      const answer = await exchange(this.baseUrl, caller.key, request);
      result.statuses[answer.status] = (result.statuses[answer.status] ?? 0) + 1;
      const problem = this.answers.problemWith(operation, answer);
      if (problem !== undefined)
        result.problems.push(`${problem}\n  ${asCurl(request)}\n  ${answer.status} ${answer.text.slice(0, 500)}`);
      if (answer.status < 400) this.idsOf[role].learn(operation.path, jsonOf(answer));
      if (answer.status < 400 && operation.method === 'DELETE') this.idsOf[role].drop(operation.path, request.url);
      caller.answered(answer.status);
    } catch (error) {
      result.problems.push(`no answer: ${String((error as Error).cause ?? error)}\n  ${asCurl(request)}`);
    }
  }
}
