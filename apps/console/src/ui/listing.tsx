import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';
import { type Column, SimpleTable } from './table.tsx';

interface ListingProps<Row> {
  /** What `useRead` answers for an operation that lists. */
  answer: { data: { data: readonly Row[] } | undefined; error: unknown; refetch: () => unknown };
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** Shown for an empty list. */
  empty: ReactNode;
}

/** One page of a list as a table; or why there is none, or that it is on its way. */
export const Listing = <Row,>({ answer: { data, error, refetch }, columns, keyOf, empty }: ListingProps<Row>) => {
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} />;
  return data.data.length === 0 ? empty : <SimpleTable columns={columns} rows={data.data} keyOf={keyOf} />;
};
