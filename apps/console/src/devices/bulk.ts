import { lanyard } from '../api/lanyard.ts';

/** Which devices an action concerns: the filter of the API, decoded. */
export interface Selection {
  /** undefined: all devices of the account. */
  filter: string | undefined;
}

const parallel = 6;
const pageRows = 1_000;

const packedQuery = ({ filter }: Selection) => (filter === undefined ? {} : { filter });

export const countOf = async (selection: Selection): Promise<number> => {
  const query = { limit: 2, include: 'total_count', ...packedQuery(selection) };
  return (await lanyard.call('GET /v3/devices', { query })).total_count ?? 0;
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
  for (let after: string | undefined; ;) {
    const outcome = await lanyard.call('POST /v3/device-suspensions', {
      body: {
        action,
        category: category as never,
        filter: selection.filter ?? '',
        dry_run: isDryRun,
        ...(after !== undefined && { after }),
      },
    });
    changed += outcome.changed_count;
    onProgress?.(changed);
    if (!outcome.has_more || outcome.after === null) return changed;
    after = outcome.after;
  }
};

/** Adds every device of the selection to a group; how many were added. */
export const addToGroup = async (
  selection: Selection,
  groupId: string,
  onProgress: (done: number) => void,
): Promise<number> => {
  const query = { limit: pageRows, ...packedQuery(selection) };
  let done = 0;
  const devices = lanyard.items('GET /v3/devices', { query });
  const worker = async (): Promise<void> => {
    for await (const { id } of devices) {
      await lanyard.call('POST /v3/device-groups/{id}/devices/add', { path: { id: groupId }, body: { device_id: id } });
      onProgress(++done);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return done;
};
