import type { Device } from '@lanyard/client/browser';

const kept = [
  'id',
  'name',
  'endpoint_name',
  'endpoint_type',
  'state',
  'lifecycle_status',
  'serial_number',
  'vendor_id',
  'device_class',
  'mechanism',
  'created_at',
  'updated_at',
] as const satisfies (keyof Device)[];

/** The fields of a device that the list keeps in memory, even for 100,000 devices. */
export type Row = Pick<Device, (typeof kept)[number]>;

export const rowOf = (device: Device): Row => {
  const row: Record<string, unknown> = {};
  for (const name of kept) row[name] = device[name];
  return row as unknown as Row;
};

export interface Column {
  id: keyof Row;
  label: string;
  /** Minimum width in rem. */
  rem: number;
  /** Share of the remaining width of the table. */
  share: number;
}

const paddingRem = 1;
const gapRem = 0.75;

/** The minimum widths of the columns, and how they share the rest: device-table.css uses them. */
export const layoutOf = (all: readonly Pick<Column, 'rem' | 'share'>[]): { template: string; minRem: number } => ({
  template: all.map(({ rem, share }) => `minmax(${rem}rem, ${share}fr)`).join(' '),
  minRem: all.reduce((sum, { rem }) => sum + rem, 2 * paddingRem + gapRem * (all.length - 1)),
});

/** Columns that can be shown beside name and state. */
export const columns: readonly Column[] = [
  { id: 'endpoint_name', label: 'Endpoint name', rem: 9, share: 2 },
  { id: 'endpoint_type', label: 'Type', rem: 7, share: 1 },
  { id: 'serial_number', label: 'Serial number', rem: 8, share: 1 },
  { id: 'vendor_id', label: 'Vendor', rem: 7, share: 1 },
  { id: 'device_class', label: 'Class', rem: 6, share: 1 },
  { id: 'mechanism', label: 'Mechanism', rem: 7, share: 1 },
  { id: 'created_at', label: 'Created', rem: 11, share: 1 },
  { id: 'updated_at', label: 'Changed', rem: 11, share: 1 },
  { id: 'id', label: 'Id', rem: 17, share: 1 },
];

export const usualColumns: readonly string[] = ['endpoint_name', 'endpoint_type', 'updated_at'];
