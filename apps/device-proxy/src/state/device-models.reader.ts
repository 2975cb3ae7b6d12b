import { type DeviceModelChanged, DeviceModels } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { AccountModels } from '@lanyard/lwm2m';
import { Injectable } from '@nestjs/common';

/** Keeps this replica's copy of the object definitions of all accounts, `AccountModels`, up to date. */
@Injectable()
export class DeviceModelsReader extends StateReader<DeviceModelChanged> {
  constructor(kafka: KafkaConnection, models: AccountModels) {
    super(kafka, DeviceModels, { project: (model) => model });
    this.onChange((_key, model, previous) => {
      if (model) {
        const { accountId, resources, ...described } = model;
        models.put(accountId, { ...described, resources: new Map(resources.map(({ id, ...rest }) => [id, rest])) });
      } else if (previous) models.drop(previous.accountId, previous.object, previous.version);
    });
  }
}
