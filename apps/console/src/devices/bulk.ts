import { lanyard } from '../api/lanyard.ts';
import type { Filter, Selection } from './selection.ts';

const parallel = 6;
const pageRows = 1_000;

/** The service wants a filter, so that a mistake does not concern all devices: here the person saw that it does. */
const everyDevice = 'lifecycle_status__in=enabled,blocked';

const packedQuery = (filter: Filter) => (filter === undefined ? {} : { filter });

export const countOf = async (selection: Selection): Promise<number> => {
  let sum = 0;
  for (const filter of selection) {
    const query = { limit: 2, include: 'total_count', ...packedQuery(filter) };
    sum += (await lanyard.call('GET /v3/devices', { query })).total_count ?? 0;
  }
  return sum;
};

export interface Suspending {
  action: 'suspend' | 'resume';
  category: string;
}

/** Suspends or resumes all devices of the selection, as many at a time as the service does; how many were changed. */
export const changeSuspension = async (
  selection: Selection,
  { action, category }: Suspending,
  { isDryRun = false, onProgress }: { isDryRun?: boolean; onProgress?: (changed: number) => void } = {},
): Promise<number> => {
  let changed = 0;
  for (const filter of selection)
    for (let after: string | null | undefined; after !== null;) {
      const outcome = await lanyard.call('POST /v3/device-suspensions', {
        body: {
          action,
          category: category as never,
          filter: filter ?? everyDevice,
          dry_run: isDryRun,
          ...(after !== undefined && { after }),
        },
      });
      changed += outcome.changed_count;
      onProgress?.(changed);
      after = outcome.has_more ? outcome.after : null;
    }
  return changed;
};

async function* devicesOf(selection: Selection): AsyncGenerator<{ id: string }> {
  for (const filter of selection)
    yield* lanyard.items('GET /v3/devices', { query: { limit: pageRows, ...packedQuery(filter) } });
}

/** Adds every device of the selection to a group; how many were added. */
export const addToGroup = async (
  selection: Selection,
  groupId: string,
  onProgress: (done: number) => void,
): Promise<number> => {
  let done = 0;
  const devices = devicesOf(selection);
  const worker = async (): Promise<void> => {
    for await (const { id } of devices) {
      await lanyard.call('POST /v3/device-groups/{id}/devices/add', { path: { id: groupId }, body: { device_id: id } });
      onProgress(++done);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return done;
};
