import { Readable } from 'node:stream';
import { csvRow } from '../csv.js';
import { importColumns } from './device-fields.js';
import type { Device } from './device-record.js';

const extra = ['id', 'lifecycle_status', 'created_at'] as const;

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
};

const line = (device: Device): string =>
  csvRow([...importColumns, ...extra].map((name) => cell((device as Record<string, unknown>)[name])));

/** The columns of an import, then id, lifecycle_status and created_at; custom attributes are JSON in one column. */
export const exportedCsv = (pages: AsyncIterable<Device[]>): Readable =>
  Readable.from(
    (async function* () {
      yield csvRow([...importColumns, ...extra]);
      for await (const page of pages) yield page.map(line).join('');
    })(),
  );
