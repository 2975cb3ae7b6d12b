import './device-table.css';
import { useElementSize, useMediaQuery } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type CSSProperties, memo, type MouseEvent, useEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { DeviceState, moment, nameOf } from '../ui/index.ts';
import { type Column, columns, layoutOf, type Row } from './columns.ts';

/** The height of a row, as in device-table.css. */
const rowPx = 44;

/** How many rows beyond the visible ones exist, and how close to the end the next page is requested. */
const overscan = 6;
const nearEnd = 100;

/** The columns with the box, the name and the state. */
const fixed = [
  { rem: 1.5, share: 0 },
  { rem: 9, share: 2 },
  { rem: 8.5, share: 1 },
];

export interface DeviceTableProps {
  rows: readonly Row[];
  total: number;
  shown: readonly string[];
  selected: ReadonlySet<string>;
  /** The rows cannot be selected now. */
  isLocked: boolean;
  onSelect: (ids: readonly string[], isSelected: boolean) => void;
  onNearEnd: () => void;
}

const textOf = (row: Row, { id }: Column): string => {
  const value = row[id];
  return value === null ? '–' : id.endsWith('_at') ? moment(value) : value;
};

interface RowProps extends Pick<DeviceTableProps, 'isLocked' | 'onSelect'> {
  row: Row;
  index: number;
  extra: readonly Column[];
  isSelected: boolean;
  onOpen: (event: MouseEvent, id: string) => void;
}

// Made of plain elements, and rendered only when it changes: a fast scroll replaces all rows in each frame.
const DeviceRow = memo(({ row, index, extra, isSelected, isLocked, onSelect, onOpen }: RowProps) => {
  const name = nameOf(row);
  return (
    <div className="device-row body" role="row" aria-rowindex={index + 2}>
      <div role="cell">
        <input
          type="checkbox"
          checked={isSelected}
          disabled={isLocked}
          aria-label={`Select ${name}`}
          onChange={({ currentTarget }) => onSelect([row.id], currentTarget.checked)}
        />
      </div>
      <div role="cell">
        <a
          href={`${import.meta.env.BASE_URL}devices/${row.id}`}
          title={name}
          onClick={(event) => onOpen(event, row.id)}
        >
          {name}
        </a>
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
  );
});
DeviceRow.displayName = 'DeviceRow';

/** Follows a link within the page, unless it is to open in another tab or window. */
const useOpening = () => {
  const navigate = useNavigate();
  return useMemo(
    () => (event: MouseEvent, id: string) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      void navigate({ to: '/devices/$id', params: { id } });
    },
    [navigate],
  );
};

/** Shows any number of devices: only the visible rows exist, and the next page is read before the end becomes visible. */
export const DeviceTable = ({ rows, total, shown, selected, isLocked, onSelect, onNearEnd }: DeviceTableProps) => {
  const { ref, height } = useElementSize<HTMLDivElement>();
  const [scrolledRows, setScrolledRows] = useState(0);
  const isNarrow = useMediaQuery('(max-width: 48em)');
  const extra = useMemo(() => (isNarrow ? [] : columns.filter(({ id }) => shown.includes(id))), [isNarrow, shown]);
  const { template, minRem } = layoutOf([...fixed, ...extra]);
  const onOpen = useOpening();
  const mounted = Math.ceil(height / rowPx) + 2 * overscan;
  const first = Math.max(0, Math.min(scrolledRows - overscan, rows.length - mounted));
  const last = first + mounted;
  useEffect(() => {
    if (rows.length < total && last >= rows.length - nearEnd) onNearEnd();
  }, [last, rows, total, onNearEnd]);
  const areAll = useMemo(() => rows.length > 0 && rows.every(({ id }) => selected.has(id)), [rows, selected]);
  return (
    <div
      ref={ref}
      className="device-list"
      style={{ '--device-columns': template } as CSSProperties}
      // Flushed before the frame is drawn, so that the rows that become visible are there.
      onScroll={({ currentTarget: { scrollTop } }) => flushSync(() => setScrolledRows(Math.floor(scrollTop / rowPx)))}
      tabIndex={0}
      role="region"
      aria-label="Devices"
    >
      <div role="table" aria-label="Devices" aria-rowcount={total + 1} style={{ minWidth: `${minRem}rem` }}>
        <div role="rowgroup" className="device-titles">
          <div className="device-row head" role="row" aria-rowindex={1}>
            <div role="columnheader">
              <input
                type="checkbox"
                checked={areAll}
                disabled={isLocked}
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
        </div>
        <div role="rowgroup" className="device-rows" style={{ height: rows.length * rowPx }}>
          <div style={{ transform: `translateY(${first * rowPx}px)` }}>
            {rows.slice(first, last).map((row, n) => (
              <DeviceRow
                // An element whose row disappears is reused for a row that appears.
                key={(first + n) % mounted}
                row={row}
                index={first + n}
                extra={extra}
                isSelected={selected.has(row.id)}
                isLocked={isLocked}
                onSelect={onSelect}
                onOpen={onOpen}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
};
