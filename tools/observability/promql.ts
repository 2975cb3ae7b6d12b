/**
 * The part of PromQL that our rules use, evaluated over series in memory, so that rules are tested without Prometheus. The
 * grammar is Prometheus' own. Unlike in Prometheus, rates are not extrapolated to the edges of their range.
 */
import { parser } from '@prometheus-io/lezer-promql';
import type { SyntaxNode } from '@lezer/common';

type Node = SyntaxNode;

type Labels = Record<string, string>;

/** One value per minute. */
export interface Series {
  name: string;
  labels: Labels;
  values: (number | undefined)[];
}

interface Sample {
  labels: Labels;
  value: number;
}

interface Context {
  text: string;
  series: Series[];
  minute: number;
}

/** Prometheus looks back five minutes for the last value. */
const lookbackMinutes = 5;

/** @throws when the text is not PromQL */
export const parsePromQl = (text: string): Node => {
  const tree = parser.parse(text);
  tree.iterate({
    enter: ({ type, from }) => {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${text}`);
    },
  });
  const { firstChild } = tree.topNode;
  if (!firstChild) throw new Error(`no PromQL: ${text}`);
  return firstChild;
};

const textOf = (node: Node, text: string) => text.slice(node.from, node.to);

const childrenOf = (node: Node): Node[] => {
  const children = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
};

/** @param duration such as 90s, 5m or 1h */
export const minutesOf = (duration: string) => {
  const [, number = '', unit = ''] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  const minutes = { s: 1 / 60, m: 1, h: 60, d: 1440 }[unit];
  if (minutes === undefined) throw new Error(`no duration: ${duration}`);
  return Number(number) * minutes;
};

export const selectorOf = (
  node: Node,
  text: string,
): { name: string; matchers: { label: string; op: string; value: string }[] } => {
  const name = node.getChild('Identifier');
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  return {
    name: name ? textOf(name, text) : '',
    matchers: matchers.map((matcher) => {
      const [label, op, value] = childrenOf(matcher).map((part) => textOf(part, text));
      return { label: label ?? '', op: op ?? '', value: (value ?? '').slice(1, -1) };
    }),
  };
};

const matches: Record<string, (found: string, wanted: string) => boolean> = {
  '=': (found, wanted) => found === wanted,
  '!=': (found, wanted) => found !== wanted,
  '=~': (found, wanted) => new RegExp(`^(?:${wanted})$`).test(found),
  '!~': (found, wanted) => !new RegExp(`^(?:${wanted})$`).test(found),
};

const selected = (node: Node, { text, series }: Context): Series[] => {
  const { name, matchers } = selectorOf(node, text);
  return series.filter(
    (one) =>
      one.name === name &&
      matchers.every(({ label, op, value }) => matches[op]?.(one.labels[label] ?? '', value) === true),
  );
};

/** The values from one minute to another, both included; there are none before the first. */
const between = (values: Series['values'], first: number, last: number) =>
  values.slice(Math.max(0, first), Math.max(0, last + 1));

const instant = (node: Node, context: Context): Sample[] =>
  selected(node, context).flatMap(({ labels, values }) => {
    const recent = between(values, context.minute - lookbackMinutes + 1, context.minute);
    const value = recent.findLast((v) => v !== undefined);
    return value === undefined ? [] : [{ labels, value }];
  });

/** Growth over the range, allowing for restarts of a counter. */
const growth = (matrix: Node, context: Context, perSecond: boolean): Sample[] => {
  const [selector, range] = childrenOf(matrix);
  if (!selector || !range) throw new Error(`no range: ${context.text}`);
  const minutes = minutesOf(textOf(range, context.text));
  return selected(selector, context).flatMap(({ labels, values }) => {
    const window = between(values, context.minute - minutes, context.minute).filter((value) => value !== undefined);
    if (window.length < 2) return [];
    const grown = window.slice(1).reduce((sum, value, i) => {
      const before = window[i] ?? 0;
      return sum + (value >= before ? value - before : value);
    }, 0);
    return [{ labels, value: perSecond ? grown / ((window.length - 1) * 60) : grown }];
  });
};

const only = (labels: Labels, names: string[]): Labels =>
  Object.fromEntries(names.flatMap((n) => (labels[n] === undefined ? [] : [[n, labels[n]]])));
const keyOf = (labels: Labels) => JSON.stringify(Object.entries(labels).sort());

const groupingOf = (clause: Node | null | undefined, text: string) =>
  (clause?.getChild('GroupingLabels')?.getChildren('LabelName') ?? []).map((label) => textOf(label, text));

const aggregates: Record<string, (values: number[]) => number> = {
  sum: (values) => values.reduce((a, b) => a + b, 0),
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  count: (values) => values.length,
};

const grouped = (samples: Sample[], by: (labels: Labels) => Labels): { labels: Labels; samples: Sample[] }[] =>
  [...Map.groupBy(samples, ({ labels }) => keyOf(by(labels))).values()].map((group) => ({
    labels: by(group[0]!.labels),
    samples: group,
  }));

const withoutBound = ({ le: _le, ...labels }: Labels) => labels;

const aggregate = (node: Node, context: Context): Sample[] => {
  const [op, ...rest] = childrenOf(node);
  const combine = op && aggregates[textOf(op, context.text)];
  const body = rest.find((child) => child.name === 'FunctionCallBody')?.firstChild;
  if (!combine || !body) throw new Error(`not supported: ${textOf(node, context.text)}`);
  const names = groupingOf(node.getChild('AggregateModifier'), context.text);
  return grouped(vector(body, context), (labels) => only(labels, names)).map(({ labels, samples }) => ({
    labels,
    value: combine(samples.map(({ value }) => value)),
  }));
};

/** @param buckets of one histogram */
const quantile = (q: number, buckets: Sample[]) => {
  const bound = ({ labels }: Sample) => (labels.le === '+Inf' ? Infinity : Number(labels.le));
  const sorted = [...buckets].sort((a, b) => bound(a) - bound(b));
  const rank = q * (sorted.at(-1)?.value ?? 0);
  const at = sorted.findIndex(({ value }) => value >= rank);
  const [bucket, before] = [sorted[at], sorted[at - 1]];
  if (!bucket || rank === 0) return NaN;
  const [low, below] = before ? [bound(before), before.value] : [0, 0];
  if (bound(bucket) === Infinity) return low;
  return low + ((bound(bucket) - low) * (rank - below)) / (bucket.value - below);
};

/** If the selector finds nothing, one sample with the labels that it requires by equality. */
const absent = (selector: Node, context: Context): Sample[] => {
  if (instant(selector, context).length > 0) return [];
  const wanted = selectorOf(selector, context.text).matchers.filter(({ op }) => op === '=');
  return [{ labels: Object.fromEntries(wanted.map(({ label, value }) => [label, value])), value: 1 }];
};

const call = (node: Node, context: Context): Sample[] => {
  const [name, body] = childrenOf(node);
  const args = body ? childrenOf(body).filter((child) => child.name !== '(') : [];
  const [first, second] = args;
  const called = name ? textOf(name, context.text) : '';
  if (first && (called === 'rate' || called === 'increase')) return growth(first, context, called === 'rate');
  if (first?.name === 'VectorSelector' && called === 'absent') return absent(first, context);
  if (first && second && called === 'histogram_quantile') {
    const q = Number(textOf(first, context.text));
    return grouped(vector(second, context), withoutBound).map(({ labels, samples }) => ({
      labels,
      value: quantile(q, samples),
    }));
  }
  throw new Error(`not supported: ${textOf(node, context.text)}`);
};

const arithmetic: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};
const comparison: Record<string, (a: number, b: number) => boolean> = {
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

const combined = (op: string, left: Sample, a: number, b: number): Sample[] => {
  const compare = comparison[op];
  if (compare) return compare(a, b) ? [left] : [];
  const compute = arithmetic[op];
  if (!compute) throw new Error(`not supported: ${op}`);
  return [{ labels: left.labels, value: compute(a, b) }];
};

const binary = (node: Node, context: Context): Sample[] => {
  const [leftNode, opNode, ...rest] = childrenOf(node);
  const rightNode = rest.at(-1);
  if (!leftNode || !opNode || !rightNode) throw new Error(`not supported: ${textOf(node, context.text)}`);
  const op = textOf(opNode, context.text);
  const [left, right] = [evaluate(leftNode, context), evaluate(rightNode, context)];
  if (typeof left === 'number' && typeof right === 'number') throw new Error('two numbers');
  if (typeof right === 'number') return vector(leftNode, context).flatMap((s) => combined(op, s, s.value, right));
  if (typeof left === 'number') return right.flatMap((s) => combined(op, s, left, s.value));
  const on = node.getChild('MatchingModifierClause');
  const names = groupingOf(on, context.text);
  const keyed = ({ labels }: Sample) => keyOf(on ? only(labels, names) : labels);
  const others = new Map(right.map((sample) => [keyed(sample), sample]));
  if (op === 'and') return left.filter((sample) => others.has(keyed(sample)));
  if (op === 'unless') return left.filter((sample) => !others.has(keyed(sample)));
  if (op === 'or') {
    const known = new Set(left.map(keyed));
    return [...left, ...right.filter((sample) => !known.has(keyed(sample)))];
  }
  return left.flatMap((sample) => {
    const other = others.get(keyed(sample));
    return other ? combined(op, sample, sample.value, other.value) : [];
  });
};

const shifted = (node: Node, context: Context): Sample[] => {
  const [body] = childrenOf(node);
  const offset = node.getChild('OffsetDurationExpr');
  if (!body || !offset) throw new Error(`not supported: ${textOf(node, context.text)}`);
  return vector(body, { ...context, minute: context.minute - minutesOf(textOf(offset, context.text)) });
};

export const evaluate = (node: Node, context: Context): Sample[] | number => {
  switch (node.name) {
    case 'NumberDurationLiteral':
      return Number(textOf(node, context.text));
    case 'VectorSelector':
      return instant(node, context);
    case 'OffsetExpr':
      return shifted(node, context);
    case 'AggregateExpr':
      return aggregate(node, context);
    case 'FunctionCall':
      // The first minute of the series is the first minute of 1970.
      return textOf(node, context.text) === 'time()' ? context.minute * 60 : call(node, context);
    case 'BinaryExpr':
      return binary(node, context);
    case 'ParenExpr': {
      const inside = childrenOf(node).find((child) => child.name !== '(' && child.name !== ')');
      if (inside) return evaluate(inside, context);
    }
  }
  throw new Error(`not supported: ${node.name} in ${context.text}`);
};

const vector = (node: Node, context: Context): Sample[] => {
  const value = evaluate(node, context);
  if (typeof value === 'number') throw new Error(`a number where series are needed: ${context.text}`);
  return value;
};
