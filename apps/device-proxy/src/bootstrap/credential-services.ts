import { Injectable } from '@nestjs/common';
import { Refusals } from '../credentials/refusals.js';
import type { UplinkRequest } from '../transport/uplink-request.js';

const bootstrapPaths: ReadonlySet<string | undefined> = new Set(['bs', 'bspack']);

/** A credential for bootstrapping is good for nothing else, and any other one not for bootstrapping (docs/adr/0025). */
@Injectable()
export class CredentialServices {
  constructor(private readonly refusals: Refusals) {}

  /** Reports a request that the credential of its sender is not valid for. Without security every request is permitted. */
  permit({ path: [first], sender, address }: UplinkRequest): boolean {
    const { accountId, deviceId, service } = sender;
    if (service === undefined || (service === 'bootstrap') === bootstrapPaths.has(first)) return true;
    this.refusals.report('wrong-service', { address, accountId, ...(deviceId !== undefined && { deviceId }) });
    return false;
  }
}
