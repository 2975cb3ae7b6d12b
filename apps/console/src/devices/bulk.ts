import { NotFound } from '@lanyard/client/browser';
import { lanyard } from '../api/lanyard.ts';
import { inParallel } from './in-parallel.ts';
import { type Selection, selectionIn } from './selection.ts';

const parallel = 6;
const pageRows = 1_000;

/** The rate of a key is limited: a call that is refused for this reason is made again when the service allows it. */
const retries = 10;

/** One call suspends or resumes up to 5,000 devices. */
const suspensionMaxMs = 300_000;

/** The service requires a filter, so that no mistake affects all devices. Here the person has seen that all are affected. */
const everyDevice = 'lifecycle_status__in=enabled,blocked';

interface Suspension {
  action: 'suspend' | 'resume';
  category: string;
}

interface Membership {
  action: 'add' | 'remove';
  groupId: string;
}

/** The change to each device of a selection. */
export type Bulk = Suspension | Membership;

interface Running {
  /** Stops the run once the calls that have begun are answered, so that it is known how many devices they changed. */
  signal: AbortSignal;
  onProgress: (changed: number) => void;
}

const memberships = {
  add: 'POST /v3/device-groups/{id}/devices/add',
  remove: 'POST /v3/device-groups/{id}/devices/remove',
} as const;

const suspensionOf = (filter: string | undefined, { action, category }: Suspension) => ({
  action,
  category: category as never,
  filter: filter ?? everyDevice,
});

const changeSuspension = async (
  selection: Selection,
  suspension: Suspension,
  { signal, onProgress }: Running,
): Promise<void> => {
  let changed = 0;
  for (const filter of selection)
    for (let after: string | null | undefined; after !== null && !signal.aborted;) {
      const body = { ...suspensionOf(filter, suspension), ...(after !== undefined && { after }) };
      const outcome = await lanyard.call(
        'POST /v3/device-suspensions',
        { body },
        { retries, timeoutMs: suspensionMaxMs },
      );
      changed += outcome.changed_count;
      onProgress(changed);
      after = outcome.has_more ? outcome.after : null;
    }
};

async function* devicesOf(filters: readonly string[]): AsyncGenerator<{ id: string }> {
  for (const filter of filters)
    yield* lanyard.items('GET /v3/devices', { query: { limit: pageRows, filter } }, { retries });
}

/** false: the device was deleted meanwhile, and its memberships with it. */
const changeMember = async ({ action, groupId: id }: Membership, deviceId: string): Promise<boolean> => {
  try {
    await lanyard.call(memberships[action], { path: { id }, body: { device_id: deviceId } }, { retries });
    return true;
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    // The answer does not say whether the device or the group is missing. Without the group, this call throws.
    await lanyard.call('GET /v3/device-groups/{id}', { path: { id } }, { retries });
    return false;
  }
};

const changeMembership = async (
  selection: Selection,
  membership: Membership,
  { signal, onProgress }: Running,
): Promise<void> => {
  let changed = 0;
  const devices = devicesOf(selectionIn(selection, membership.action, membership.groupId));
  const change = async ({ id }: { id: string }): Promise<void> => {
    if (await changeMember(membership, id)) onProgress(++changed);
  };
  await inParallel(devices, change, { parallel, signal });
};

/** How many devices would be changed. */
export const dryRunOf = async (selection: Selection, bulk: Bulk, signal: AbortSignal): Promise<number> => {
  let sum = 0;
  if ('category' in bulk)
    for (const filter of selection) {
      const body = { ...suspensionOf(filter, bulk), dry_run: true };
      sum += (await lanyard.call('POST /v3/device-suspensions', { body }, { signal })).changed_count;
    }
  else
    for (const filter of selectionIn(selection, bulk.action, bulk.groupId)) {
      const query = { limit: 2, include: 'total_count', filter };
      sum += (await lanyard.call('GET /v3/devices', { query }, { signal })).total_count ?? 0;
    }
  return sum;
};

/** Changes those devices of the selection that need the change. */
export const runBulk = (selection: Selection, bulk: Bulk, running: Running): Promise<void> =>
  'category' in bulk ? changeSuspension(selection, bulk, running) : changeMembership(selection, bulk, running);
