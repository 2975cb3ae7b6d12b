import { setTimeout as pause } from 'node:timers/promises';
import { Answers, type GivenAnswer } from './answers.ts';
import { type Document, type Operation, operationsOf } from './document.ts';
import { asCurl, exchange, jsonOf, type PreparedRequest } from './exchange.ts';
import { KnownIds } from './known-ids.ts';
import type { Random } from '../../tools/testing/random.ts';
import type { Trail } from './trail.ts';
import {
  problemOfUnknown,
  problemOfValue,
  withIgnoredFields,
  withUnknownField,
  withWrongValues,
} from './unknown-field.ts';
import { type Ground, ValidRequests } from './requests.ts';

/** This many passes need no pause; operations that then still fail wait for messages between services. */
const hurriedPasses = 5;
const pauseMs = 250;

/** How long the entry of a change may take to be logged; after that, the request counts as one that changed nothing. */
const toldWithinMs = 3_000;
const toldStepMs = 100;

export interface Lives {
  sent: number;
  passes: number;
  /** Operations that never succeeded, with the last attempt. */
  failed: string[];
  /** Answers that differ from the document. */
  problems: string[];
}

export const named = ({ method, path }: Operation): string => `${method} ${path}`;

const maySucceed = ({ responses }: Operation): boolean => Object.keys(responses).some((status) => /^2/.test(status));

/** These succeed only with an OpenID provider: apps/gateway/test/oidc.int-spec.ts has one. */
const needsProvider = ({ path }: Operation): boolean => /^\/v3\/(users\/\{id\}|session\/oidc\/device)/.test(path);

/** Operations for which the document has no success. */
export const withoutSuccess = (document: Document): string[] =>
  operationsOf(document)
    .filter((operation) => !maySucceed(operation))
    .map(named);

/** Stages of a life: created and changed, read, removed from groups and from service, deleted. */
const stage = ({ method, path }: Operation): number => {
  if (method === 'DELETE') return 3;
  if (method === 'GET') return 1;
  return /\/(remove|suspend|resume|device-suspensions)$/.test(path) ? 2 : 0;
};

/** First segment after the version; for channels with the kind, because creating one kind does not prepare another. */
const family = ({ path }: Operation): string =>
  path
    .split('/')
    .slice(2, path.startsWith('/v2/notification/') ? 4 : 3)
    .join('/');

const depth = ({ path }: Operation): number => path.split('/').length;

/** Records inside others are created after them and deleted before them. */
const inOrder = (a: Operation, b: Operation): number =>
  stage(a) - stage(b) || (depth(a) - depth(b)) * (stage(a) === 3 ? -1 : 1);

/**
 * Leads records of every kind from their creation to their end, with valid requests one after another, until every
 * operation has succeeded and the event log has its changes. Each pass tries the remaining operations, with other values and
 * newly created records.
 */
export class RecordLives {
  private readonly operations: Operation[];
  private readonly open: Set<Operation>;
  private readonly ids: KnownIds;
  private readonly requests: ValidRequests;
  private readonly answers: Answers;
  /** Operations that succeeded but are missing in the log: perhaps they changed nothing. */
  private readonly untold = new Set<Operation>();
  /** Operations whose bodies were already sent with unknown fields. */
  private readonly strict = new Set<Operation>();
  private readonly last = new Map<Operation, string>();
  private readonly result: Lives = { sent: 0, passes: 0, failed: [], problems: [] };

  constructor(
    private readonly document: Document,
    private readonly caller: { baseUrl: string; keyFor(operation: Operation): string },
    private readonly random: Random,
    ground: Ground & { untouchable: ReadonlySet<string> },
    hints: Record<string, readonly string[]>,
    private readonly trail: Trail,
  ) {
    this.operations = operationsOf(document)
      .filter((operation) => maySucceed(operation) && !needsProvider(operation))
      .sort(inOrder);
    this.open = new Set(this.operations);
    this.ids = new KnownIds((known) => known.at(-1) as string, ground.untouchable);
    this.requests = new ValidRequests(document, random, this.ids, ground, hints);
    this.answers = new Answers(document);
  }

  async run(hasTime: (passes: number) => boolean): Promise<Lives> {
    const { open, result } = this;
    for (; open.size > 0 && hasTime(result.passes); result.passes++) {
      if (result.passes >= hurriedPasses) await pause(pauseMs);
      for (const operation of this.operations)
        if (open.has(operation) || (open.size > 0 && this.prepares(operation))) await this.attempt(operation);
      this.closeTold();
      if (open.size === 0) await this.reopenUntold();
    }
    await this.reopenUntold();
    result.failed = [...open].map((operation) => `${named(operation)}: ${this.last.get(operation) ?? 'never ready'}`);
    return result;
  }

  /** Closes operations that lacked only their entry in the log, if that arrived late. */
  private closeTold(): void {
    for (const operation of this.untold)
      if (!this.trail.isMissing(named(operation))) {
        this.untold.delete(operation);
        this.open.delete(operation);
      }
  }

  private async reopenUntold(): Promise<void> {
    const missing = (): Operation[] => this.operations.filter((operation) => this.trail.isMissing(named(operation)));
    for (let waitedMs = 0; missing().length > 0 && waitedMs < toldWithinMs; waitedMs += toldStepMs)
      await pause(toldStepMs);
    this.untold.clear();
    for (const operation of missing()) {
      this.untold.add(operation);
      this.open.add(operation);
    }
  }

  /** Whether the operation creates something that another one needs, although it has succeeded itself. */
  private prepares(operation: Operation): boolean {
    const { method, path } = operation;
    // A GET in the log is one that creates what it reads, but only if no other operation created it before.
    const wants = (other: Operation): boolean => !(other.method === 'GET' && this.untold.has(other));
    const isOfFamily = (other: Operation): boolean => wants(other) && family(other) === family(operation);
    if (stage(operation) === 0 && [...this.untold].some(isOfFamily)) return true;
    if (method === 'PUT') {
      // The operations of the account's administrators on a channel need a callback.
      const paths = path === '/v2/notification/callback' ? [path, '/v3/channels/'] : [path];
      return [...this.open].some((other) => wants(other) && paths.some((one) => other.path.startsWith(one)));
    }
    // A key has only one channel: deleting its callback makes room for another kind.
    if (method === 'DELETE' && path === '/v2/notification/callback')
      return [...this.open].some((other) => /^\/v2\/notification\/(pull|websocket)$/.test(other.path));
    if (method !== 'POST') return false;
    // Only a campaign that was started and paused can be resumed.
    const campaign = /^(.*update-campaigns.*)\/(start|pause)$/.exec(path)?.[1];
    if (campaign !== undefined) return [...this.open].some((other) => other.path === `${campaign}/resume`);
    // Commands are created at devices, but their items are in the list of commands.
    const items = `${path.replace('/v2/device-requests/{deviceId}', '/v3/device-requests')}/{`;
    return this.operations.some((other) => other.path.startsWith(items) && depth(other) === items.split('/').length);
  }

  private async attempt(operation: Operation): Promise<void> {
    const prepared = this.requests.of(operation);
    if (!prepared) return;
    await this.sendUnknown(operation, prepared);
    const request = {
      ...prepared,
      headers: {
        ...prepared.headers,
        ...(await this.meant(operation)),
        'x-request-id': this.trail.requestId(named(operation)),
      },
    };
    const answer = await this.send(request);
    const told = `${answer.status} ${answer.text.slice(0, 500)}\n  ${asCurl(request)}`;
    const problem = this.answers.problemWith(operation, answer);
    if (problem !== undefined) this.result.problems.push(`${problem}: ${told}`);
    this.last.set(operation, told);
    if (answer.status >= 300) return;
    this.open.delete(operation);
    this.learn(request, answer);
  }

  /** Checks that no unknown field is dropped silently, and that no value outside a closed set is accepted. */
  private async sendUnknown(operation: Operation, prepared: PreparedRequest): Promise<void> {
    if (this.strict.has(operation)) return;
    this.strict.add(operation);
    const unknown = withUnknownField(this.document, prepared);
    if (unknown) this.note(problemOfUnknown(await this.send(unknown)), unknown);
    const ignored = withIgnoredFields(this.document, prepared);
    if (ignored) {
      const { status, text } = await this.send(ignored);
      this.note(status < 300 ? undefined : `what is ignored is refused: ${status} ${text.slice(0, 300)}`, ignored);
    }
    for (const [field, wrong] of withWrongValues(this.document, prepared))
      this.note(problemOfValue(field, await this.send(wrong)), wrong);
  }

  private note(problem: string | undefined, request: PreparedRequest): void {
    if (problem !== undefined) this.result.problems.push(`${problem}\n  ${asCurl(request)}`);
  }

  /** The version of the record, which half of the requests send in If-Match. */
  private async meant(operation: Operation): Promise<Record<string, string>> {
    if (!operation.parameters.some(({ name }) => name === 'If-Match') || this.random.chance(0.5)) return {};
    const url = this.requests.recordOf(operation);
    if (url === undefined) return {};
    const answer = await this.send({ operation: { ...operation, method: 'GET' }, url, headers: {}, body: undefined });
    const { etag } = (jsonOf(answer) ?? {}) as { etag?: string };
    return etag === undefined ? {} : { 'if-match': `"${etag}"` };
  }

  private learn({ operation: { method, path }, url }: PreparedRequest, answer: GivenAnswer): void {
    const body = jsonOf(answer);
    const asyncId = new URLSearchParams(url.split('?')[1]).get('async-id');
    if (method === 'DELETE') this.ids.drop(path, url);
    else if (asyncId !== null) this.ids.add('/v3/device-requests', asyncId);
    // From other answers only while the collection has no id of its own: the requests are about the newest record.
    else if (method === 'POST' || this.ids.of(path) === undefined) this.ids.learn(path, body);
  }

  private send(request: PreparedRequest): Promise<GivenAnswer> {
    this.result.sent++;
    return exchange(this.caller.baseUrl, this.caller.keyFor(request.operation), request);
  }
}
