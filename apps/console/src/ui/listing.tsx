import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Turning } from '../api/turning.ts';
import { type Answer, isShown } from './answer.ts';
import { Answered } from './answered.tsx';
import { ShowsDialogs } from './opens.tsx';
import { Panel, type PanelProps } from './page.tsx';
import { type Column, DataTable } from './table.tsx';

interface ListingProps<Row> extends Pick<PanelProps, 'title' | 'aside'> {
  /** The result of `useRead` or `usePages` for an operation that lists. */
  answer: Answer<{ data: readonly Row[]; has_more?: boolean }> & { turning?: Turning };
  columns: readonly Column<Row>[];
  /** The key of a row; by default, its id. */
  keyOf?: (row: Row) => string;
  /** Shown for an empty list. */
  empty: ReactNode;
}

const idOf = (row: unknown): string => (row as { id: string }).id;

interface PagerProps {
  turning: Turning;
  /** Id of the last row that is shown. */
  lastId?: string | undefined;
  hasMore?: boolean;
}

/** The number of the page and the buttons that turn it, if the list has more than one page. */
export const Pager = ({ turning, lastId, hasMore = false }: PagerProps) =>
  (hasMore || turning.page > 1) && (
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

/** Shown in place of a page whose rows have been deleted meanwhile, or that would begin after the last row. */
export const EndOfList = () => <Text p="md">The list ends before this page.</Text>;

/** A framed list as a table, page by page; or why there is none, or that it is being read. */
export const Listing = <Row,>({ answer, columns, keyOf = idOf, empty, ...panel }: ListingProps<Row>) => {
  const { turning } = answer;
  return (
    <Panel flush {...panel}>
      <ShowsDialogs>
        <Answered answer={answer}>
          {({ data: rows, has_more: hasMore = false }) => (
            <>
              {rows.length > 0 && <DataTable columns={columns} rows={rows} keyOf={keyOf} />}
              {rows.length === 0 && (turning && turning.page > 1 ? <EndOfList /> : empty)}
              {turning && <Pager turning={turning} lastId={rows.map(keyOf).at(-1)} hasMore={hasMore} />}
            </>
          )}
        </Answered>
      </ShowsDialogs>
      {/* The way back from a page that cannot be read. */}
      {turning && !isShown(answer) && <Pager turning={turning} />}
    </Panel>
  );
};
