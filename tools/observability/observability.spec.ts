import { describe, expect, it } from '@jest/globals';
import { alertProblems, firing, type Rule, valuesOf } from './alerts.ts';
import { existingMetrics, expressionProblems } from './metrics.ts';
import { evaluate, parsePromQl } from './promql.ts';

const at = (text: string, series: Record<string, string>, minute: number): unknown => {
  const parts = Object.entries(series).map(([written, values]) => {
    const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(written) ?? [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]);
    return { name, labels: Object.fromEntries(pairs) as Record<string, string>, values: valuesOf(values) };
  });
  return evaluate(parsePromQl(text), { text, series: parts, minute });
};

describe('PromQL over written series', () => {
  it('reads the notation of series', () => {
    expect(valuesOf('1x2 0+5x2 _x1 7')).toEqual([1, 1, 1, 0, 5, 10, undefined, undefined, 7]);
    expect(() => valuesOf('many')).toThrow('no values');
  });

  it.each<[string, string, Record<string, string>, unknown]>([
    ['a counter that starts again', 'increase(c[3m])', { c: '5 9 2 4' }, [{ labels: {}, value: 8 }]],
    ['a rate per second', 'rate(c[3m])', { c: '0+60x3' }, [{ labels: {}, value: 1 }]],
    [
      'matchers',
      'sum by (a) (c{a!="x", b=~"1|2"})',
      { 'c{a="x",b="1"}': '1x3', 'c{a="y",b="2"}': '2x3', 'c{a="y",b="3"}': '4x3' },
      [{ labels: { a: 'y' }, value: 2 }],
    ],
    [
      'a number against a number of series',
      'sum by (a) (c) > 2',
      { 'c{a="x"}': '1x3', 'c{a="y"}': '3x3' },
      [{ labels: { a: 'y' }, value: 3 }],
    ],
    [
      'series that are paired by some labels',
      '(sum by (a) (c) == 0) and on (a) (max by (a) (d) > 1)',
      { 'c{a="x"}': '0x3', 'd{a="x",p="1"}': '5x3', 'c{a="y"}': '0x3' },
      [{ labels: { a: 'x' }, value: 0 }],
    ],
    [
      'what was before',
      'c unless (c offset 2m)',
      { 'c{a="old"}': '1x3', 'c{a="new"}': '_x1 1x1' },
      [{ labels: { a: 'new' }, value: 1 }],
    ],
    [
      'quantiles within a bucket',
      'histogram_quantile(0.5, sum by (le) (b))',
      { 'b{le="1"}': '0x3', 'b{le="3"}': '10x3', 'b{le="+Inf"}': '10x3' },
      [{ labels: {}, value: 2 }],
    ],
  ])('%s', (_, text, series, expected) => {
    expect(at(text, series, 3)).toEqual(expected);
  });

  it('knows nothing of the time before the first value', () => {
    expect(at('c offset 10m', { c: '1x9' }, 3)).toEqual([]);
  });

  it('refuses what it does not know, and what is no PromQL', () => {
    expect(() => at('stddev(c)', { c: '1' }, 0)).toThrow('not supported');
    expect(() => parsePromQl('sum by (a (c)')).toThrow('no PromQL');
  });
});

describe('the check of alerts', () => {
  const rule: Rule = { alert: 'A', expr: 'c > 1', for: '2m', labels: {}, annotations: {} };

  it('lets an alert wait until its time has passed', () => {
    const series = { c: '0x1 5x4' };
    expect([firing(rule, series, 3), firing(rule, series, 4)]).toEqual([[], [{}]]);
    expect(firing(rule, { c: '5 0 5 5' }, 3)).toEqual([]);
  });

  it('complains of alerts without a test, that fire too early, or not at all', () => {
    const test = { alert: 'A', series: { c: '5x9' }, quiet: '1m', fires: '3m', labels: {} };
    expect(alertProblems([rule], [test])).toEqual([]);
    expect(alertProblems([rule], [])).toEqual(['A has no test']);
    expect(alertProblems([rule], [{ ...test, quiet: '4m' }])).toEqual(['A fires at 4m: [{}]']);
    expect(alertProblems([rule], [{ ...test, series: { c: '0x9' } }])).toEqual(['A at 3m: []']);
  });

  it('complains of metrics and labels that do not exist', async () => {
    const metrics = await existingMetrics();
    const problems = (text: string): string[] => expressionProblems(text, metrics);
    expect(problems('sum by (upstream) (rate(lanyard_gateway_forward_seconds_count{status=~"5.."}[5m]))')).toEqual([]);
    expect(problems('lanyard_gateway_forward_seconds > 1')).toEqual(['lanyard_gateway_forward_seconds is no metric']);
    expect(problems('lanyard_outbox_lag_seconds{topic="x"}')).toEqual([
      'lanyard_outbox_lag_seconds has no label topic',
    ]);
    expect(problems('sum by (topic) (lanyard_outbox_lag_seconds)')).toEqual(['no metric of it has the label topic']);
  });
});
