import { Button, Group, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Turning } from '../api/pages.ts';
import { Failure } from './failure.tsx';
import { type Column, DataTable } from './table.tsx';

interface ListingProps<Row> {
  /** What `useRead` or `usePages` answers for an operation that lists. */
  answer: {
    data: { data: readonly Row[]; has_more?: boolean } | undefined;
    error: unknown;
    refetch: () => unknown;
    turning?: Turning;
  };
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** Shown for an empty list. */
  empty: ReactNode;
}

const Pager = ({ turning, lastId, hasMore }: { turning: Turning; lastId: string | undefined; hasMore: boolean }) => (
  <Group component="nav" aria-label="Pages of the list" justify="flex-end" gap="xs" px="md" py="sm">
    <Text size="sm" c="dimmed" role="status">
      Page {turning.page}
    </Text>
    <Button size="compact-sm" variant="default" disabled={turning.page === 1} onClick={turning.previous}>
      Previous
    </Button>
    <Button
      size="compact-sm"
      variant="default"
      disabled={!hasMore || lastId === undefined}
      onClick={() => lastId !== undefined && turning.next(lastId)}
    >
      Next
    </Button>
  </Group>
);

/** A list as a table, page by page; or why there is none, or that it is on its way. */
export const Listing = <Row,>({ answer, columns, keyOf, empty }: ListingProps<Row>) => {
  const { data, error, refetch, turning } = answer;
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} />;
  const { data: rows, has_more: hasMore = false } = data;
  const last = rows.at(-1);
  return (
    <>
      {rows.length === 0 ? empty : <DataTable columns={columns} rows={rows} keyOf={keyOf} />}
      {turning && (hasMore || turning.page > 1) && (
        <Pager turning={turning} lastId={last && keyOf(last)} hasMore={hasMore} />
      )}
    </>
  );
};
