import './table.css';
import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { Titled } from './titled.tsx';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** A second line that explains the first: an id, a description, since when. */
  more?: (row: Row) => ReactNode;
  /** The cells contain only marks, so the title takes no more room than they do. */
  isMark?: boolean;
}

interface DataTableProps<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  isChosen?: (row: Row) => boolean;
}

/** The table of the console: each column has a title and a cell for each row. Narrow screens show a card for each row. */
export const DataTable = <Row,>({ columns, rows, keyOf, isChosen }: DataTableProps<Row>) => (
  // Explicit roles, because browsers drop those of a table whose rows are laid out as cards.
  <Table highlightOnHover className="data-table" role="table">
    <Table.Thead role="rowgroup">
      <Table.Tr role="row">
        {columns.map(({ title, isMark = false }) => (
          <Table.Th key={title} role="columnheader" className={isMark ? 'sideways' : undefined}>
            <span>{title}</span>
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody role="rowgroup">
      {rows.map((row) => (
        <Table.Tr key={keyOf(row)} role="row" bg={isChosen?.(row) ? 'var(--mantine-primary-color-light)' : undefined}>
          {columns.map(({ title, cell, more }, at) => (
            <Table.Td key={title} role="cell" data-title={title}>
              <div>
                {more ? (
                  <Titled more={more(row)} isStrong={at === 0}>
                    {cell(row)}
                  </Titled>
                ) : (
                  cell(row)
                )}
              </div>
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
);
