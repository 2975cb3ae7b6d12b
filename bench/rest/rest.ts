/** Requests of applications through the gateway, compared with the same Nest and Fastify answering a constant, and a minimum. */
import { busyMs, cpuSeconds } from '../machine.ts';
import { median, percentile, round } from '../statistics.ts';
import { saturate, Steady, type Request } from './load.ts';
import { RestAccount, startBareService, startConstant, startPassing } from './account.ts';
import type { Bench } from '../benches.ts';

const connections = 16;
const steadyPerSecond = 500;

/** For each operation: during this time V8 interprets and compiles. A service that has run for a minute does neither. */
const warmUpSeconds = 10;

/** All services, without rate limits, because the rate of a single key is measured. */
const env = {
  GATEWAY_KEY_RATE_PER_SECOND: '1000000',
  GATEWAY_KEY_RATE_BURST: '1000000',
  GATEWAY_ACCOUNT_RATE_PER_SECOND: '1000000',
  GATEWAY_ACCOUNT_RATE_BURST: '1000000',
};

export const rest: Bench = {
  about:
    'requests/s and p99 of list, get, suspend, echo and events through the gateway, beside a constant of Nest and a floor',
  env,
  async run({ system, seconds, rounds, say }) {
    const account = await RestAccount.build(system);
    const constant = await startConstant();
    const passing = await startPassing(constant.url);
    const bare = await startBareService(account);
    const floor = await startPassing(bare.url);
    const gateway = new URL(system.baseUrl);
    const { headers } = account;
    const plain: Request = { method: 'GET', path: '/constant', headers };
    /** Bytes of the answers, by figure. */
    const sizes: Record<string, number> = {};
    /** The answer of an operation, as a constant. The answer of its minimum has about the same size. */
    const likeAnswerOf = async (operation: string) => {
      const { method, path, body } = account.requestOf(operation);
      const answerFrom = async (origin: string) => {
        const response = await fetch(origin + path, { method, headers, ...(body && { body }) });
        const answer = await response.text();
        if (!response.ok) throw new Error(`${origin}${path}: ${response.status} ${answer}`);
        return answer;
      };
      const [answer, bareAnswer] = [await answerFrom(gateway.origin), await answerFrom(floor.url.origin)];
      if (bareAnswer.length < answer.length / 2) throw new Error(`the floor of ${operation} answers ${bareAnswer}`);
      sizes[`${operation}_bytes`] = answer.length;
      sizes[`${operation}_floor_bytes`] = bareAnswer.length;
      const url = new URL(`/constant/${operation}`, constant.url);
      const given = await fetch(url, { method: 'PUT', headers, body: answer || '{}' });
      if (!given.ok) throw new Error(`${url} is not taken: ${given.status}`);
      return { ...plain, path: url.pathname };
    };
    const alike = new Map<string, Request>();
    for (const operation of Object.keys(account.operations)) alike.set(operation, await likeAnswerOf(operation));
    const measured: Record<
      string,
      { perSecond: number[]; p99: number[]; cpu: number[]; ownerCpu: number[]; machineCpu: number[] }
    > = {};
    const pidOf = (unit: string) => system.unit(unit).unit.pid;
    const measure = async (
      name: string,
      url: URL,
      next: () => Request,
      counts: boolean,
      [first, owner]: (number | undefined)[],
    ) => {
      const before = [cpuSeconds(first), cpuSeconds(owner)];
      const busyBeforeMs = busyMs();
      const { perSecond, took } = await saturate(url, next, { seconds: counts ? seconds : warmUpSeconds, connections });
      if (!counts) return;
      const of = (measured[name] ??= { perSecond: [], p99: [], cpu: [], ownerCpu: [], machineCpu: [] });
      of.cpu.push(((cpuSeconds(first) - (before[0] ?? 0)) / took.length) * 1e6);
      of.ownerCpu.push(((cpuSeconds(owner) - (before[1] ?? 0)) / took.length) * 1e6);
      of.machineCpu.push(((busyMs() - busyBeforeMs) / took.length) * 1e3);
      of.perSecond.push(perSecond);
      of.p99.push(percentile(took, 0.99));
    };
    for (let n = 0; n <= rounds; n++) {
      await measure('constant', constant.url, () => plain, n > 0, [constant.pid, constant.pid]);
      await measure('constant_passed', passing.url, () => plain, n > 0, [passing.pid, constant.pid]);
      for (const operation of Object.keys(account.operations)) {
        account.turn = 0;
        await measure(operation, gateway, account.requests(operation), n > 0, [
          pidOf('gateway-0'),
          pidOf(`${account.owners[operation]}-0`),
        ]);
        const like = alike.get(operation) as Request;
        if (n > 0)
          await measure(`constant_like_${operation}`, constant.url, () => like, true, [constant.pid, constant.pid]);
        account.turn = 0;
        await measure(`${operation}_floor`, floor.url, account.requests(operation), n > 0, [floor.pid, bare.pid]);
      }
      const shown = Object.entries(measured).map(
        ([name, { perSecond }]) => `${name} ${Math.round(perSecond.at(-1) ?? 0)}/s`,
      );
      say(n === 0 ? 'warm-up' : `round ${n} of ${rounds}: ${shown.join(', ')}`);
    }
    for (const reference of [constant, passing, bare, floor]) reference.stop();
    const rate = (name: string) => median(measured[name]?.perSecond ?? []);
    const figures = Object.fromEntries(
      Object.entries(measured).flatMap(([name, { p99, cpu, ownerCpu, machineCpu }]) => [
        [`${name}_per_second`, round(rate(name))],
        [`${name}_p99_ms`, round(median(p99))],
        [`${name}_machine_cpu_us`, round(median(machineCpu))],
        ...(name.startsWith('constant')
          ? [
              [`${name}_ratio`, round(rate(name) / rate('constant'))],
              [`${name}_cpu_us`, round(median(cpu))],
            ]
          : [
              [`${name}_ratio`, round(rate(name) / rate('constant'))],
              [`${name}_passed_ratio`, round(rate(name) / rate('constant_passed'))],
              [`${name}_alike_ratio`, round(rate(name) / rate(`constant_like_${name.replace('_floor', '')}`))],
              [`${name}_gateway_cpu_us`, round(median(cpu))],
              [`${name}_service_cpu_us`, round(median(ownerCpu))],
            ]),
      ]),
    );
    return { ...figures, ...sizes };
  },
};

export const restAdded: Bench = {
  about: `what the gateway adds to one device read at ${steadyPerSecond} requests a second, beside the registry itself`,
  env,
  async run({ system, seconds, rounds, say }) {
    const account = await RestAccount.build(system);
    const gateway = new URL(system.baseUrl);
    const registry = new URL(system.unit('registry-0').unit.address);
    /** The times of each round. */
    const took: Record<'gateway' | 'registry', number[][]> = { gateway: [], registry: [] };
    await saturate(gateway, account.requests('get'), { seconds: warmUpSeconds, connections });
    const options = { connections, perSecond: steadyPerSecond };
    const through = new Steady(gateway, options);
    const direct = new Steady(registry, options);
    for (let n = 0; n <= rounds; n++) {
      const throughTook: number[] = [];
      const directTook: number[] = [];
      // In turns of a second, so that other work of the machine affects both equally.
      for (let second = 0; second < (n === 0 ? 3 : seconds); second++) {
        throughTook.push(...(await through.run(account.requests('get'), 1)));
        directTook.push(...(await direct.run(account.requests('get', account.identityHeaders), 1)));
      }
      if (n === 0) continue;
      took.gateway.push(throughTook);
      took.registry.push(directTook);
      say(
        `round ${n} of ${rounds}: p99 ${round(percentile(throughTook, 0.99))} ms, registry ${round(percentile(directTook, 0.99))} ms`,
      );
    }
    await Promise.all([through.close(), direct.close()]);
    /** The median over the rounds, because a round in which the machine stood still says nothing. */
    const at = (name: 'gateway' | 'registry', p: number) => median(took[name].map((one) => percentile(one, p)));
    const ofAll = (name: 'gateway' | 'registry') => percentile(took[name].flat(), 0.99);
    return {
      p50_ms: round(at('gateway', 0.5)),
      p99_ms: round(at('gateway', 0.99)),
      registry_p50_ms: round(at('registry', 0.5)),
      registry_p99_ms: round(at('registry', 0.99)),
      added_p50_ms: round(at('gateway', 0.5) - at('registry', 0.5)),
      added_p99_ms: round(at('gateway', 0.99) - at('registry', 0.99)),
      added_p99_all_rounds_ms: round(ofAll('gateway') - ofAll('registry')),
    };
  },
};
