import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { ScenarioError } from './errors.js';

/** The text as it is written: YAML reads 1.0 and 1.10 as the numbers 1 and 1.1. */
const textOf = ({ value, source }: Scalar): string =>
  typeof value === 'number' && source !== undefined ? source : String(value);

/** Names of fields are always texts, although YAML reads a group that is called 2024 as a number. */
const keyOf = ({ key }: Pair): string => (isScalar(key) ? textOf(key) : String(key));

/** A map of a scenario, with the place of each field. */
export class Section {
  private readonly known = new Set<string>();

  constructor(
    private readonly map: YAMLMap,
    readonly field: string,
    private readonly document: { file: string; lines: LineCounter },
  ) {}

  keys(): string[] {
    return this.map.items.map(keyOf);
  }

  /** Text, number or boolean; undefined if it is not there. */
  scalar(name: string): unknown {
    const node = this.nodeOf(name);
    if (node === undefined || (isScalar(node) && node.value === null)) return undefined;
    if (!isScalar(node)) throw this.problem(name, 'must be a single value');
    return node.value;
  }

  /** A list of texts, or one text; undefined if it is not there. */
  texts(name: string): string[] | undefined {
    const node = this.nodeOf(name);
    if (!isSeq(node)) {
      const value = this.scalar(name);
      if (value === undefined) return undefined;
      return [isScalar(node) ? textOf(node) : String(value)];
    }
    return node.items.map((item) => {
      if (!isScalar(item)) throw this.problem(name, 'must be a list of texts');
      return textOf(item);
    });
  }

  section(name: string): Section | undefined {
    const node = this.nodeOf(name);
    if (node === undefined) return undefined;
    if (!isMap(node)) throw this.problem(name, 'must be a map of fields');
    return new Section(node, this.fieldOf(name), this.document);
  }

  sections(name: string): Section[] {
    const node = this.nodeOf(name);
    if (node === undefined) return [];
    if (!isSeq(node)) throw this.problem(name, 'must be a list');
    return node.items.map((item, at) => {
      if (!isMap(item)) throw this.problem(name, `must be a list of maps, and item ${at + 1} is none`);
      return new Section(item, `${this.fieldOf(name)}[${at}]`, this.document);
    });
  }

  /** Allows a field of this name. */
  allow(name: string): void {
    this.known.add(name);
  }

  has(name: string): boolean {
    return this.map.has(name);
  }

  /** Throws ScenarioError for a field that no setting has read. */
  refuseUnknown(): void {
    const unknown = this.keys().find((key) => !this.known.has(key));
    if (unknown !== undefined) throw this.problem(unknown, `is not known here; known: ${[...this.known].join(', ')}`);
  }

  problem(name: string, text: string): ScenarioError {
    const pair = this.pairOf(name);
    const range = (pair?.key as Node | undefined)?.range ?? this.map.range;
    const { line } = this.document.lines.linePos(range?.[0] ?? 0);
    return new ScenarioError({ file: this.document.file, line, field: this.fieldOf(name) }, text);
  }

  private fieldOf(name: string): string {
    return this.field === '' ? name : `${this.field}.${name}`;
  }

  private pairOf(name: string): Pair | undefined {
    return this.map.items.find((pair) => keyOf(pair) === name);
  }

  private nodeOf(name: string): unknown {
    this.allow(name);
    return this.pairOf(name)?.value ?? undefined;
  }
}

/** Reads YAML. Throws ScenarioError. */
export const parseScenario = (file: string, text: string): Section => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  const placeOf = (offset: number) => ({ file, line: lines.linePos(offset).line, field: '' });
  if (error) throw new ScenarioError(placeOf(error.pos[0]), error.message);
  if (!isMap(document.contents)) throw new ScenarioError(placeOf(0), 'must be a map with "groups"');
  return new Section(document.contents, '', { file, lines });
};
