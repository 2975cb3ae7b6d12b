import './device-table.css';
import { Box } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useMemo, useRef } from 'react';
import { DeviceState, moment, nameOf } from '../ui/index.ts';
import { type Column, columns, type Row } from './columns.ts';

const rowPx = 44;

/** Rows beyond the visible ones, and how close to the end the next page is asked for. */
const overscan = 12;
const nearEnd = 100;

export interface DeviceTableProps {
  rows: readonly Row[];
  total: number;
  shown: readonly string[];
  selected: ReadonlySet<string>;
  onSelect: (ids: readonly string[], isSelected: boolean) => void;
  onNearEnd: () => void;
}

const textOf = (row: Row, { id }: Column): string => {
  const value = row[id];
  return value === null ? '–' : id.endsWith('_at') ? moment(value) : value;
};

interface RowProps extends Pick<DeviceTableProps, 'onSelect'> {
  row: Row;
  index: number;
  template: string;
  extra: readonly Column[];
  isSelected: boolean;
}

// Of plain elements, and rendered only when it changes: a fast scroll replaces all of them in each frame.
const DeviceRow = memo(({ row, index, template, extra, isSelected, onSelect }: RowProps) => (
  <div
    className="device-row body"
    role="row"
    aria-rowindex={index + 2}
    style={{ height: rowPx, gridTemplateColumns: template }}
  >
    <div role="cell">
      <input
        type="checkbox"
        checked={isSelected}
        aria-label={`Select ${nameOf(row)}`}
        onChange={({ currentTarget }) => onSelect([row.id], currentTarget.checked)}
      />
    </div>
    <div role="cell">
      <Link to={`/devices/${row.id}` as '/'} title={nameOf(row)}>
        {nameOf(row)}
      </Link>
    </div>
    <div role="cell">
      <DeviceState device={row} />
    </div>
    {extra.map((column) => {
      const text = textOf(row, column);
      return (
        <div key={column.id} role="cell" title={text}>
          {text}
        </div>
      );
    })}
  </div>
));
DeviceRow.displayName = 'DeviceRow';

/** Any number of devices: only the visible rows exist, and the next page is read before the end comes into sight. */
export const DeviceTable = ({ rows, total, shown, selected, onSelect, onNearEnd }: DeviceTableProps) => {
  const viewport = useRef<HTMLDivElement>(null);
  const isNarrow = useMediaQuery('(max-width: 48em)');
  const extra = useMemo(() => (isNarrow ? [] : columns.filter(({ id }) => shown.includes(id))), [isNarrow, shown]);
  const template = ['1.5rem', 'minmax(9rem, 2fr)', 'minmax(8.5rem, 1fr)', ...extra.map(({ width }) => width)].join(' ');
  // eslint-disable-next-line react-hooks/incompatible-library -- what it returns goes to no memoised component
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowPx,
    overscan,
  });
  const visible = virtual.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length < total && last >= rows.length - nearEnd) onNearEnd();
  }, [last, rows.length, total, onNearEnd]);
  const areAll = rows.length > 0 && rows.every(({ id }) => selected.has(id));
  return (
    <Box
      ref={viewport}
      mah="max(20rem, 68vh)"
      style={{ overflow: 'auto' }}
      tabIndex={0}
      role="region"
      aria-label="Devices"
    >
      <div role="table" aria-label="Devices" aria-rowcount={total + 1}>
        <Box role="rowgroup" pos="sticky" top={0} bg="var(--mantine-color-body)" style={{ zIndex: 1 }}>
          <div className="device-row head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
            <div role="columnheader">
              <input
                type="checkbox"
                checked={areAll}
                ref={(box) => {
                  if (box) box.indeterminate = !areAll && selected.size > 0;
                }}
                aria-label="Select all devices that are loaded"
                onChange={({ currentTarget }) =>
                  onSelect(
                    rows.map(({ id }) => id),
                    currentTarget.checked,
                  )
                }
              />
            </div>
            <div role="columnheader">Name</div>
            <div role="columnheader">State</div>
            {extra.map(({ id, label }) => (
              <div key={id} role="columnheader">
                {label}
              </div>
            ))}
          </div>
        </Box>
        <Box role="rowgroup" pos="relative" h={virtual.getTotalSize()}>
          <Box pos="absolute" left={0} right={0} style={{ transform: `translateY(${visible[0]?.start ?? 0}px)` }}>
            {visible.map(({ index }) => {
              const row = rows[index];
              return (
                row && (
                  <DeviceRow
                    // A row that leaves is used again for one that comes.
                    key={index % visible.length}
                    row={row}
                    index={index}
                    template={template}
                    extra={extra}
                    isSelected={selected.has(row.id)}
                    onSelect={onSelect}
                  />
                )
              );
            })}
          </Box>
        </Box>
      </div>
    </Box>
  );
};
