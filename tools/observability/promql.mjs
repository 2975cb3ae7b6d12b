/**
 * As much of PromQL as our rules use, evaluated over series in memory, so that rules are tested without Prometheus. The
 * grammar is Prometheus' own. Rates are not extrapolated to the edges of their range, as Prometheus does.
 */
import { parser } from '@prometheus-io/lezer-promql';

/**
 * @typedef {import('@lezer/common').SyntaxNode} Node
 * @typedef {Record<string, string>} Labels
 * @typedef {{ name: string, labels: Labels, values: (number | undefined)[] }} Series one value a minute
 * @typedef {{ labels: Labels, value: number }} Sample
 * @typedef {{ text: string, series: Series[], minute: number }} Context
 */

/** Prometheus looks back five minutes for the last value. */
const lookbackMinutes = 5;

/** @param {string} text @returns {Node} throws when it is no PromQL */
export const parsePromQl = (text) => {
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

/** @param {Node} node @param {string} text */
const textOf = (node, text) => text.slice(node.from, node.to);

/** @param {Node} node @returns {Node[]} */
const childrenOf = (node) => {
  const children = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
};

/** @param {string} duration such as 90s, 5m or 1h */
export const minutesOf = (duration) => {
  const [, number = '', unit = ''] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  const minutes = { s: 1 / 60, m: 1, h: 60, d: 1440 }[unit];
  if (minutes === undefined) throw new Error(`no duration: ${duration}`);
  return Number(number) * minutes;
};

/** @param {Node} node @param {string} text @returns {{ name: string, matchers: { label: string, op: string, value: string }[] }} */
export const selectorOf = (node, text) => {
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

/** @type {Record<string, (found: string, wanted: string) => boolean>} */
const matches = {
  '=': (found, wanted) => found === wanted,
  '!=': (found, wanted) => found !== wanted,
  '=~': (found, wanted) => new RegExp(`^(?:${wanted})$`).test(found),
  '!~': (found, wanted) => !new RegExp(`^(?:${wanted})$`).test(found),
};

/** @param {Node} node @param {Context} context @returns {Series[]} */
const selected = (node, { text, series }) => {
  const { name, matchers } = selectorOf(node, text);
  return series.filter(
    (one) =>
      one.name === name &&
      matchers.every(({ label, op, value }) => matches[op]?.(one.labels[label] ?? '', value) === true),
  );
};

/** Both minutes included; before the first there is nothing. @param {Series['values']} values @param {number} first @param {number} last */
const between = (values, first, last) => values.slice(Math.max(0, first), Math.max(0, last + 1));

/** @param {Node} node @param {Context} context @returns {Sample[]} */
const instant = (node, context) =>
  selected(node, context).flatMap(({ labels, values }) => {
    const recent = between(values, context.minute - lookbackMinutes + 1, context.minute);
    const value = recent.findLast((v) => v !== undefined);
    return value === undefined ? [] : [{ labels, value }];
  });

/** Growth over the range, restarts of a counter included. @param {Node} matrix @param {Context} context @param {boolean} perSecond @returns {Sample[]} */
const growth = (matrix, context, perSecond) => {
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

/** @param {Labels} labels @param {string[]} names @returns {Labels} */
const only = (labels, names) =>
  Object.fromEntries(names.flatMap((n) => (labels[n] === undefined ? [] : [[n, labels[n]]])));
/** @param {Labels} labels */
const keyOf = (labels) => JSON.stringify(Object.entries(labels).sort());

/** @param {Node | null | undefined} clause @param {string} text */
const groupingOf = (clause, text) =>
  (clause?.getChild('GroupingLabels')?.getChildren('LabelName') ?? []).map((label) => textOf(label, text));

/** @type {Record<string, (values: number[]) => number>} */
const aggregates = {
  sum: (values) => values.reduce((a, b) => a + b, 0),
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  count: (values) => values.length,
};

/** @param {Sample[]} samples @param {(labels: Labels) => Labels} by @returns {{ labels: Labels, samples: Sample[] }[]} */
const grouped = (samples, by) => {
  /** @type {Map<string, { labels: Labels, samples: Sample[] }>} */
  const groups = new Map();
  for (const sample of samples) {
    const labels = by(sample.labels);
    const group = groups.get(keyOf(labels)) ?? { labels, samples: [] };
    group.samples.push(sample);
    groups.set(keyOf(labels), group);
  }
  return [...groups.values()];
};

/** @param {Labels} labels */
const withoutBound = ({ le: _le, ...labels }) => labels;

/** @param {Node} node @param {Context} context @returns {Sample[]} */
const aggregate = (node, context) => {
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

/** @param {number} q @param {Sample[]} buckets of one histogram */
const quantile = (q, buckets) => {
  const bound = (/** @type {Sample} */ { labels }) => (labels.le === '+Inf' ? Infinity : Number(labels.le));
  const sorted = [...buckets].sort((a, b) => bound(a) - bound(b));
  const rank = q * (sorted.at(-1)?.value ?? 0);
  const at = sorted.findIndex(({ value }) => value >= rank);
  const [bucket, before] = [sorted[at], sorted[at - 1]];
  if (!bucket || rank === 0) return NaN;
  const [low, below] = before ? [bound(before), before.value] : [0, 0];
  if (bound(bucket) === Infinity) return low;
  return low + ((bound(bucket) - low) * (rank - below)) / (bucket.value - below);
};

/** @param {Node} node @param {Context} context @returns {Sample[]} */
const call = (node, context) => {
  const [name, body] = childrenOf(node);
  const args = body ? childrenOf(body).filter((child) => child.name !== '(') : [];
  const [first, second] = args;
  const called = name ? textOf(name, context.text) : '';
  if (first && (called === 'rate' || called === 'increase')) return growth(first, context, called === 'rate');
  if (first && second && called === 'histogram_quantile') {
    const q = Number(textOf(first, context.text));
    return grouped(vector(second, context), withoutBound).map(({ labels, samples }) => ({
      labels,
      value: quantile(q, samples),
    }));
  }
  throw new Error(`not supported: ${textOf(node, context.text)}`);
};

/** @type {Record<string, (a: number, b: number) => number>} */
const arithmetic = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b };
/** @type {Record<string, (a: number, b: number) => boolean>} */
const comparison = {
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

/** @param {string} op @param {Sample} left @param {number} a @param {number} b @returns {Sample[]} */
const combined = (op, left, a, b) => {
  const compare = comparison[op];
  if (compare) return compare(a, b) ? [left] : [];
  const compute = arithmetic[op];
  if (!compute) throw new Error(`not supported: ${op}`);
  return [{ labels: left.labels, value: compute(a, b) }];
};

/** @param {Node} node @param {Context} context @returns {Sample[]} */
const binary = (node, context) => {
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
  const keyed = (/** @type {Sample} */ { labels }) => keyOf(on ? only(labels, names) : labels);
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

/** @param {Node} node @param {Context} context @returns {Sample[]} */
const shifted = (node, context) => {
  const [body] = childrenOf(node);
  const offset = node.getChild('OffsetDurationExpr');
  if (!body || !offset) throw new Error(`not supported: ${textOf(node, context.text)}`);
  return vector(body, { ...context, minute: context.minute - minutesOf(textOf(offset, context.text)) });
};

/** @param {Node} node @param {Context} context @returns {Sample[] | number} */
export const evaluate = (node, context) => {
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
      return call(node, context);
    case 'BinaryExpr':
      return binary(node, context);
    case 'ParenExpr': {
      const inside = childrenOf(node).find((child) => child.name !== '(' && child.name !== ')');
      if (inside) return evaluate(inside, context);
    }
  }
  throw new Error(`not supported: ${node.name} in ${context.text}`);
};

/** @param {Node} node @param {Context} context @returns {Sample[]} */
const vector = (node, context) => {
  const value = evaluate(node, context);
  if (typeof value === 'number') throw new Error(`a number where series are needed: ${context.text}`);
  return value;
};
