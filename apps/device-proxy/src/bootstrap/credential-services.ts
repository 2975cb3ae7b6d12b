import { Injectable } from '@nestjs/common';
import { Refusals } from '../credentials/refusals.js';
import type { UplinkRequest } from '../transport/uplink-request.js';

const bootstrapPaths: ReadonlySet<string | undefined> = new Set(['bs', 'bspack']);

/** A credential for bootstrapping is valid for nothing else, and no other credential is valid for bootstrapping (docs/adr/0025). */
@Injectable()
export class CredentialServices {
  constructor(private readonly refusals: Refusals) {}

  /** False for a request that the sender's credential is not valid for, which is reported. Without security, all are permitted. */
  permit({ path: [first], sender, address }: UplinkRequest): boolean {
    const { accountId, deviceId, endpointName, service } = sender;
    if (service === undefined || (service === 'bootstrap') === bootstrapPaths.has(first)) return true;
    this.refusals.report('wrong-service', { address, accountId, deviceId, endpointName });
    return false;
  }
}
