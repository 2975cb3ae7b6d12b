import type { DeviceModelChanged } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';
import { AccountModels } from '@lanyard/lwm2m';

/** This replica's copy of all uploaded models; call it before the reader starts. */
export const followModels = (reader: Pick<StateReader<DeviceModelChanged>, 'onChange'>): AccountModels => {
  const models = new AccountModels();
  reader.onChange((_key, model, previous) => {
    if (model) {
      const { accountId, resources, ...described } = model;
      models.put(accountId, { ...described, resources: new Map(resources.map(({ id, ...rest }) => [id, rest])) });
    } else if (previous) models.drop(previous.accountId, previous.object, previous.version);
  });
  return models;
};
