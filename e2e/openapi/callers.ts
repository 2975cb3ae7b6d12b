import type { Application } from '../application.js';
import { fresh } from '../journeys.js';
import type { Operation } from './document.js';
import type { Random } from './random.js';

/** So many refusals in a row mean that a request before took the key its account, its groups or its rate. */
const refusalsMax = 15;

/** A key that sends generated requests, which may end it. */
class Caller {
  private refusals = 0;

  constructor(readonly key: string) {}

  answered(status: number): void {
    this.refusals = [401, 403, 429].includes(status) ? this.refusals + 1 : 0;
    if (status === 401) this.refusals = refusalsMax;
  }

  get isSpent(): boolean {
    return this.refusals >= refusalsMax;
  }
}

/**
 * `tenant`: the administrator of a tenant. `developer`: of the account that has a device. `root`: an administrator of the
 * installation with a key of its own, for accounts only.
 */
export type Role = 'tenant' | 'developer' | 'root';

export const roleFor = ({ path }: Operation, random: Random): Role => {
  const dice = random.next();
  if (path.startsWith('/v3/accounts')) return dice < 0.7 ? 'root' : 'tenant';
  const forAdministrators = /^\/v3\/(api-keys|policy-groups)/.test(path);
  return dice < (forAdministrators ? 0.1 : 0.5) ? 'developer' : 'tenant';
};

/** Keys for the roles; spent ones are replaced. */
export class Callers {
  private readonly current: Record<Role, Promise<Caller>>;

  constructor(
    private readonly root: Application,
    /** Told of the ids that no request may name. */
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

  private async valid(role: Role): Promise<Caller> {
    const caller = await this.current[role];
    return caller.isSpent ? this.renew(role) : caller;
  }

  private async renew(role: Role): Promise<Caller> {
    if (role === 'tenant') {
      const { json } = await this.root.call('POST', '/v3/accounts', { display_name: fresh('generated') });
      this.onNew(role, [json.id, json.admin_key_id]);
      return new Caller(json.admin_key);
    }
    const groups = role === 'root' ? { groups: [await this.administrators()] } : {};
    const { json } = await this.root.call('POST', '/v3/api-keys', { name: fresh('generated'), ...groups });
    this.onNew(role, [json.id]);
    return new Caller(json.key);
  }

  private async administrators(): Promise<string> {
    const { json } = await this.root.call('GET', '/v3/policy-groups?name__eq=Administrators');
    return (json.data as { id: string }[])[0]?.id as string;
  }
}
