import type { Application } from '../application.ts';
import { fresh } from '../journeys.ts';
import type { Operation } from './document.ts';
import type { Random } from '../../tools/testing/random.ts';
import { isForInstallation } from './run-account.ts';

/** This many refusals in a row mean that an earlier request has removed the account, the groups or the rate of the key. */
const refusalsMax = 15;

/** A key that sends generated requests, which may end the key. */
class Caller {
  private refusals = 0;

  constructor(
    readonly id: string,
    readonly key: string,
  ) {}

  answered(status: number): void {
    this.refusals = [401, 403, 429].includes(status) ? this.refusals + 1 : 0;
    if (status === 401) this.refusals = refusalsMax;
  }

  get isSpent(): boolean {
    return this.refusals >= refusalsMax;
  }
}

/**
 * `tenant`: the administrator of an account that requests may change and suspend. `developer`: a key of the account of the run,
 * which has a device. `root`: an administrator of the installation, only for operations that need one.
 */
export type Role = 'tenant' | 'developer' | 'root';

export const roleFor = (operation: Operation, random: Random): Role => {
  const dice = random.next();
  if (isForInstallation(operation)) return dice < 0.7 ? 'root' : 'tenant';
  const forAdministrators = /^\/v3\/(api-keys|policy-groups)/.test(operation.path);
  return dice < (forAdministrators ? 0.1 : 0.5) ? 'developer' : 'tenant';
};

/** Keys for the roles; unusable ones are replaced. */
export class Callers {
  private readonly current: Record<Role, Promise<Caller>>;
  /** Keys of the account of the installation. */
  private readonly rootKeys: string[] = [];

  constructor(
    private readonly root: Application,
    /** Administrator of the account of the run. */
    private readonly admin: Application,
    /** Receives the ids that no request may name. */
    private readonly onNew: (role: Role, ids: string[]) => void,
  ) {
    this.current = {
      root: this.renew('root'),
      tenant: this.renew('tenant'),
      developer: this.renew('developer'),
    };
  }

  for(role: Role): Promise<Caller> {
    return (this.current[role] = this.valid(role));
  }

  /** Deletes the keys that it has created in the account of the installation. */
  async close(): Promise<void> {
    for (const id of this.rootKeys) await this.root.call('DELETE', `/v3/api-keys/${id}`);
  }

  private async valid(role: Role): Promise<Caller> {
    const caller = await this.current[role];
    return caller.isSpent ? this.renew(role) : caller;
  }

  private async renew(role: Role): Promise<Caller> {
    if (role === 'tenant') {
      const { json } = await this.root.call('POST', '/v3/accounts', { display_name: fresh('generated') });
      this.onNew(role, [json.id, json.admin_key_id]);
      return new Caller(json.admin_key_id, json.admin_key);
    }
    const caller = role === 'root' ? await this.rootKey() : await this.keyOf(this.admin);
    this.onNew(role, [caller.id]);
    return caller;
  }

  private async rootKey(): Promise<Caller> {
    const { json } = await this.root.call('GET', '/v3/policy-groups?name__eq=Administrators');
    const caller = await this.keyOf(this.root, (json.data as { id: string }[])[0]?.id);
    this.rootKeys.push(caller.id);
    return caller;
  }

  private async keyOf(administrator: Application, group?: string): Promise<Caller> {
    const groups = group === undefined ? {} : { groups: [group] };
    const { json } = await administrator.call('POST', '/v3/api-keys', { name: fresh('generated'), ...groups });
    return new Caller(json.id, json.key);
  }
}
