import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** Left out on narrow screens. */
  isMinor?: boolean;
}

interface SimpleTableProps<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

const visible = ({ isMinor = false }: { isMinor?: boolean | undefined }) => (isMinor ? { visibleFrom: 'sm' } : {});

/** A table of one page of a list: a column is a title and what a row shows below it. */
export const SimpleTable = <Row,>({ columns, rows, keyOf }: SimpleTableProps<Row>) => (
  <Table highlightOnHover>
    <Table.Thead>
      <Table.Tr>
        {columns.map((column) => (
          <Table.Th key={column.title} {...visible(column)}>
            {column.title}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {rows.map((row) => (
        <Table.Tr key={keyOf(row)}>
          {columns.map((column) => (
            <Table.Td key={column.title} className="wrap" {...visible(column)}>
              {column.cell(row)}
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
);
