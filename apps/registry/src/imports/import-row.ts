import { refuseUnstorableText, ValidationFailed } from '@lanyard/service';
import { deviceLimits, importColumns, NewDevice } from '../devices/device-fields.js';
import { MalformedImport } from '../errors.js';

/** Further columns of an export. An import ignores them, so that an exported table can be imported. */
const ignored = new Set(['id', 'lifecycle_status', 'created_at']);
const numeric = new Set([
  'device_execution_mode',
  'coap_ack_timeout_ms',
  'coap_block_bytes',
  'dtls_handshake_timer_ms',
]);
/** Objects that are built from a body have no field `__proto__`. */
const attribute = /^custom_attributes__(?!__proto__$)(.+)$/;

export interface RowProblem {
  field: string;
  message: string;
}

/** The key in the fields of a row under which a problem of the row as a whole is stored. No column has this name. */
const problemKey = '…';
const surplus: RowProblem = { field: 'row', message: 'More cells than columns' };
const repeatedHeader: RowProblem = { field: 'row', message: 'The header is repeated' };

/**
 * A row may contain thousands of attributes. One with more than this number is refused without checking each attribute:
 * the check would name every wrong one, which takes a quarter of a second.
 */
const attributesNamedMax = 100;
const manyAttributes: RowProblem = {
  field: 'custom_attributes',
  message: `At most ${deviceLimits.customAttributes} entries`,
};

/** Checks the text, or the value that the text stands for. */
const unstorable = (text: string, value: unknown): RowProblem | undefined => {
  try {
    refuseUnstorableText(text, value);
    return undefined;
  } catch (error) {
    const [problem] = error instanceof ValidationFailed ? error.fields : [];
    if (!problem) throw error;
    return { field: problem.name, message: problem.message };
  }
};

/** Throws MalformedImport with the unknown column. */
export const checkHeader = (header: readonly string[]): void => {
  const unknown = header.find((name) => !importColumns.includes(name) && !ignored.has(name) && !attribute.test(name));
  if (unknown !== undefined) throw new MalformedImport(`Unknown column "${unknown}"`);
  if (new Set(header).size !== header.length) throw new MalformedImport('A column appears twice');
  if (!header.some((name) => importColumns.includes(name)))
    throw new MalformedImport('The first line names no known column');
  const problem = unstorable(header.join(), header);
  if (problem) throw new MalformedImport(`A column ${problem.message}`);
};

/**
 * Whether objects are nested more than `levels` deep. Attributes are strings; deep nesting would overflow the stack of
 * PostgreSQL, or of this process.
 */
const isNested = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isNested(inner, levels - 1)));

const hasPrototype = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__');

const valueOf = (name: string, text: string): unknown => {
  // Spreadsheets write TRUE.
  if (name === 'auto_update') return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : text;
  // Anything else stays text, which the check of the row reports.
  if (numeric.has(name)) return /^\d{1,15}$/.test(text.trim()) ? Number(text) : text;
  if (name !== 'custom_attributes') return text;
  try {
    const value = JSON.parse(text) as unknown;
    return isNested(value, 2) || hasPrototype(value) ? text : value;
  } catch {
    return text;
  }
};

/** The cells of a row as fields; empty cells are omitted. */
export const fieldsOf = (header: readonly string[], cells: readonly string[]): Record<string, unknown> => {
  const fields: Record<string, unknown> = {};
  const attributes: Record<string, string> = {};
  // A header may name thousands of columns while a row has one cell.
  cells.forEach((text, i) => {
    const name = header[i];
    if (name === undefined || text === '' || ignored.has(name)) return;
    const key = attribute.exec(name)?.[1];
    if (key !== undefined) attributes[key] = text;
    else fields[name] = valueOf(name, text);
  });
  const own = fields['custom_attributes'];
  if (Object.keys(attributes).length > 0 && (own === undefined || typeof own === 'object'))
    fields['custom_attributes'] = { ...(own as object | undefined), ...attributes };
  // More cells than columns: probably a mistake of the author.
  if (cells.length > header.length) fields[problemKey] = surplus;
  // A repeated header, in tables that were concatenated.
  if (header.every((name, i) => cells[i]?.trim() === name)) fields[problemKey] = repeatedHeader;
  const problem = unstorable(cells.join(), fields);
  if (!problem) return fields;
  const { endpoint_name } = fields;
  const isKnown = typeof endpoint_name === 'string' && !unstorable(endpoint_name, endpoint_name);
  return { ...(isKnown && { endpoint_name }), [problemKey]: problem };
};

export const readRow = (fields: Record<string, unknown>): { device: NewDevice } | { problems: RowProblem[] } => {
  const problem = fields[problemKey];
  // A replica of an older version stored the number of cells.
  if (problem !== undefined) return { problems: [typeof problem === 'object' ? (problem as RowProblem) : surplus] };
  const { custom_attributes } = fields;
  if (typeof custom_attributes === 'object' && Object.keys(custom_attributes ?? {}).length > attributesNamedMax)
    return { problems: [manyAttributes] };
  const read = NewDevice.safeParse(fields);
  if (read.success) return { device: read.data };
  return {
    problems: read.error.issues.map(({ path, message }) => ({ field: path.map(String).join('.') || 'row', message })),
  };
};
