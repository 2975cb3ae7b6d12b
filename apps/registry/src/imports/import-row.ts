import { type NewDevice, NewDeviceSchema } from '../devices/device-fields.js';
import { MalformedImport } from '../errors.js';

/** Columns of an import: the fields of a new device. */
export const importColumns = Object.keys(NewDeviceSchema.shape);

/** What an export has besides; an import leaves them out, so that a table can go back in. */
const ignored = new Set(['id', 'lifecycle_status', 'created_at']);
const attribute = /^custom_attributes__(.+)$/;

export interface RowProblem {
  field: string;
  message: string;
}

/** Throws MalformedImport naming a column that is none. */
export const checkHeader = (header: readonly string[]): void => {
  const unknown = header.find((name) => !importColumns.includes(name) && !ignored.has(name) && !attribute.test(name));
  if (unknown !== undefined) throw new MalformedImport(`Unknown column "${unknown}"`);
  if (new Set(header).size !== header.length) throw new MalformedImport('A column is there twice');
  if (!header.some((name) => importColumns.includes(name))) throw new MalformedImport('The first line names no column');
};

const valueOf = (name: string, text: string): unknown => {
  if (name === 'auto_update') return text === 'true' ? true : text === 'false' ? false : text;
  if (name === 'device_execution_mode') return Number(text);
  if (name !== 'custom_attributes') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

/** Cells of a row as fields; empty cells are left out. */
export const fieldsOf = (header: readonly string[], cells: readonly string[]): Record<string, unknown> => {
  const fields: Record<string, unknown> = {};
  const attributes: Record<string, string> = {};
  header.forEach((name, i) => {
    const text = cells[i] ?? '';
    const key = attribute.exec(name)?.[1];
    if (text === '' || ignored.has(name)) return;
    if (key !== undefined) attributes[key] = text;
    else fields[name] = valueOf(name, text);
  });
  const own = fields['custom_attributes'];
  if (Object.keys(attributes).length > 0 && (own === undefined || typeof own === 'object'))
    fields['custom_attributes'] = { ...(own as object | undefined), ...attributes };
  // More cells than columns: the row is not what its author meant.
  if (cells.length > header.length) fields['…'] = cells.length;
  return fields;
};

export const readRow = (fields: Record<string, unknown>): { device: NewDevice } | { problems: RowProblem[] } => {
  if (fields['…'] !== undefined) return { problems: [{ field: 'row', message: 'More cells than columns' }] };
  const read = NewDeviceSchema.safeParse(fields);
  if (read.success) return { device: read.data };
  return {
    problems: read.error.issues.map(({ path, message }) => ({ field: path.map(String).join('.') || 'row', message })),
  };
};
