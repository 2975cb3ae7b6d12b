import type { Account } from '@lanyard/client/browser';
import { NumberInput, Switch, Text } from '@mantine/core';
import { useEdit, useRead } from '../api/queries.ts';
import { Answered, count, duration, FormDialog, Opens, Panel, useFields, wholeOf } from '../ui/index.ts';

const hourSeconds = 3_600;

/** The most that an account may keep, and what it keeps by default. */
const bounds = { hours: 744, values: 10_000 };
const usual = { hours: 24, values: 1_000 };

const read = 'GET /v3/accounts/{id}';

interface HistoryDialogProps {
  account: Account;
  onClose: () => void;
}

const HistoryDialog = ({ account, onClose }: HistoryDialogProps) => {
  const { value_history: kept } = account;
  const { values, toggle, number } = useFields({
    isKept: kept.hours > 0,
    hours: (kept.hours || usual.hours) as number | string,
    values: (kept.values || usual.values) as number | string,
  });
  const { isKept } = values;
  const [hours, n] = [wholeOf(values.hours), wholeOf(values.values)];
  const { change, save } = useEdit('PUT /v3/accounts/{id}', account, [read]);
  const submit = () => {
    const keptHours = isKept ? hours : 0;
    if (keptHours === undefined) return;
    save({ value_history: { hours: keptHours, ...(n !== undefined && { values: n }) } }, onClose);
  };
  return (
    <FormDialog
      title="Change the value history"
      verb="Save"
      needs="admin"
      change={change}
      onSubmit={submit}
      onClose={onClose}
      unavailable={isKept && (hours === undefined || n === undefined) ? 'Enter both numbers.' : undefined}
    >
      <Switch label="Keep recent values of resources" {...toggle('isKept')} />
      <NumberInput
        label="For how many hours"
        description={`Only administrators of the installation may raise it beyond ${usual.hours}`}
        min={1}
        max={bounds.hours}
        disabled={!isKept}
        {...number('hours')}
      />
      <NumberInput
        label="How many values of each resource"
        description={`Only administrators of the installation may raise it beyond ${count(usual.values)}`}
        min={1}
        max={bounds.values}
        disabled={!isKept}
        {...number('values')}
      />
    </FormDialog>
  );
};

const textOf = ({ value_history: { hours, values } }: Account): string =>
  hours === 0
    ? 'The account keeps no history of values.'
    : `Each resource keeps its values of the last ${duration(hours * hourSeconds)}, the newest ${count(values)} at most.`;

/** How many recent values of resources are kept, and how long; the pages of devices show them as charts. */
export const ValueHistory = ({ accountId: id }: { accountId: string }) => (
  <Answered answer={useRead(read, { path: { id } })}>
    {(account) => (
      <Panel
        title="Value history"
        aside={
          <Opens label="Change the value history" needs="admin">
            {(close) => <HistoryDialog account={account} onClose={close} />}
          </Opens>
        }
      >
        <Text size="sm">{textOf(account)}</Text>
      </Panel>
    )}
  </Answered>
);
