import type { Readable } from 'node:stream';
import { csvRow, csvTable } from '../csv.js';
import { importColumns } from './device-fields.js';
import type { Device } from './device-record.js';

const extra = ['id', 'lifecycle_status', 'created_at'] as const;

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
};

const line = (device: Device): string =>
  csvRow([...importColumns, ...extra].map((name) => cell((device as Record<string, unknown>)[name])));

async function* linesOf(pages: AsyncIterable<Device[]>): AsyncGenerator<string, void> {
  for await (const page of pages) yield page.map(line).join('');
}

/** The columns of an import, then id, lifecycle_status and created_at; custom attributes are JSON in one column. */
export const exportedCsv = (pages: AsyncIterable<Device[]>): Promise<Readable> =>
  csvTable([...importColumns, ...extra], linesOf(pages));
