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

/** What the list keeps of a device: of 100,000 of them, it is in memory. */
export type Row = Pick<Device, (typeof kept)[number]>;

export const rowOf = (device: Device): Row =>
  Object.fromEntries(kept.map((name) => [name, device[name]])) as unknown as Row;

export interface Column {
  id: keyof Row;
  label: string;
  /** As in `grid-template-columns`. */
  width: string;
}

/** Columns that can be shown beside name and state. */
export const columns: readonly Column[] = [
  { id: 'endpoint_name', label: 'Endpoint name', width: 'minmax(9rem, 2fr)' },
  { id: 'endpoint_type', label: 'Type', width: 'minmax(7rem, 1fr)' },
  { id: 'serial_number', label: 'Serial number', width: 'minmax(8rem, 1fr)' },
  { id: 'vendor_id', label: 'Vendor', width: 'minmax(7rem, 1fr)' },
  { id: 'device_class', label: 'Class', width: 'minmax(6rem, 1fr)' },
  { id: 'mechanism', label: 'Mechanism', width: 'minmax(7rem, 1fr)' },
  { id: 'created_at', label: 'Created', width: 'minmax(11rem, 1fr)' },
  { id: 'updated_at', label: 'Changed', width: 'minmax(11rem, 1fr)' },
  { id: 'id', label: 'Id', width: 'minmax(17rem, 1fr)' },
];

export const usualColumns: readonly string[] = ['endpoint_name', 'endpoint_type', 'updated_at'];
