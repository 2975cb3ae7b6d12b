import { ModelRegistry, type ObjectModel } from './model-registry.js';
import { standardModels } from './standard-models.js';

/** Models that accounts have uploaded, over those that everybody has. */
export class AccountModels {
  private readonly standard = standardModels();
  private readonly uploaded = new Map<string, Map<number, ObjectModel>>();
  private readonly registries = new Map<string, ModelRegistry>();

  /** Takes the place of the account's model of the same object. */
  put(accountId: string, model: ObjectModel): void {
    const models = this.uploaded.get(accountId) ?? new Map<number, ObjectModel>();
    this.uploaded.set(accountId, models.set(model.object, model));
    this.registries.delete(accountId);
  }

  drop(accountId: string, object: number): void {
    const models = this.uploaded.get(accountId);
    models?.delete(object);
    if (models?.size === 0) this.uploaded.delete(accountId);
    this.registries.delete(accountId);
  }

  of(accountId: string): ModelRegistry {
    const models = this.uploaded.get(accountId);
    if (!models) return this.standard;
    const known = this.registries.get(accountId);
    if (known) return known;
    const registry = new ModelRegistry([...models.values()], this.standard);
    this.registries.set(accountId, registry);
    return registry;
  }
}
