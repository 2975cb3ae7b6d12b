/** Evaluates alert rules over given series: which alerts fire at a given minute. */
import { evaluate, minutesOf, parsePromQl, selectorOf, type Series } from './promql.ts';

export interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

interface AlertTest {
  alert: string;
  series: Record<string, string>;
  quiet: string;
  fires: string;
  labels: Record<string, string>;
}

/** `1x3` is 1 1 1 1; `0+5x2` is 0 5 10; `_x1` is nothing twice. */
export const valuesOf = (notation: string): (number | undefined)[] =>
  notation.split(/\s+/).flatMap((part) => {
    const [, start, step = '+0', times = '0'] = /^(_|-?[\d.]+)([+-][\d.]+)?(?:x(\d+))?$/.exec(part) ?? [];
    if (start === undefined) throw new Error(`no values: ${part}`);
    return Array.from({ length: Number(times) + 1 }, (_, i) =>
      start === '_' ? undefined : Number(start) + i * Number(step),
    );
  });

const seriesOf = (written: Record<string, string>): Series[] =>
  Object.entries(written).map(([text, values]) => {
    const { name, matchers } = selectorOf(parsePromQl(text), text);
    return {
      name,
      labels: Object.fromEntries(matchers.map(({ label, value }) => [label, value])),
      values: valuesOf(values),
    };
  });

/** Labels of the alerts that fire at a minute, because their expression is true for every minute of `for`. */
export const firing = (rule: Rule, written: Record<string, string>, minute: number) => {
  const node = parsePromQl(rule.expr);
  const series = seriesOf(written);
  const from = minute - Math.ceil(minutesOf(rule.for ?? '0m'));
  let active: Map<string, Record<string, string>> | undefined;
  for (let at = Math.max(0, from); at <= minute; at++) {
    const result = evaluate(node, { text: rule.expr, series, minute: at });
    if (typeof result === 'number') throw new Error(`${rule.alert} is a number`);
    const now = new Map(result.map(({ labels }) => [JSON.stringify(labels), labels]));
    active = new Map([...(active ?? now)].filter(([key]) => now.has(key)));
  }
  return from < 0 ? [] : [...(active?.values() ?? [])];
};

export const alertProblems = (rules: Rule[], tests: AlertTest[]): string[] => {
  const untested = rules.filter(({ alert }) => !tests.some((test) => test.alert === alert));
  return [
    ...untested.map(({ alert }) => `${alert} has no test`),
    ...tests.flatMap(({ alert, series, quiet, fires, labels }) => {
      const rule = rules.find((one) => one.alert === alert);
      if (!rule) return [`${alert} is tested, but is no alert`];
      const early = firing(rule, series, minutesOf(quiet));
      const found = firing(rule, series, minutesOf(fires));
      const isFound = found.some((of) => Object.entries(labels).every(([name, value]) => of[name] === value));
      return [
        ...(early.length > 0 ? [`${alert} fires at ${quiet}: ${JSON.stringify(early)}`] : []),
        ...(isFound && found.length === 1 ? [] : [`${alert} at ${fires}: ${JSON.stringify(found)}`]),
      ];
    }),
  ];
};
