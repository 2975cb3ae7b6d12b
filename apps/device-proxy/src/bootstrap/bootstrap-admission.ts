import { type BootstrapProfileChanged, type DeviceCredentialChanged, endpointNameMax } from '@lanyard/contracts';
import {
  type BootstrapInstance,
  type BootstrapParameters,
  hasAtMostCharacters,
  parseBootstrap,
  WrongParameter,
} from '@lanyard/lwm2m';
import { KeyedSets } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { Refusals } from '../credentials/refusals.js';
import { Admission } from '../intake/admission.js';
import { DeviceCredentialsReader } from '../state/device-credentials.reader.js';
import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';
import { Profiles } from './profiles.js';

export interface AdmittedBootstrap {
  deviceId: string;
  accountId: string;
  profile: BootstrapProfileChanged;
  preferredFormat?: number | undefined;
  bootstrapAccount?: readonly BootstrapInstance[] | undefined;
}

const asksForPack = ([first]: readonly string[]): boolean => first === 'bspack';

/** LwM2M 1.2 core §6.1.7: a Bootstrap-Request has no 4.04. */
const withoutProfile = (path: readonly string[]): string => (asksForPack(path) ? '4.04' : '4.00');

/** Decides which devices may bootstrap: each device may bootstrap only itself. */
@Injectable()
export class BootstrapAdmission {
  /** Ids of the bootstrap credentials of each device that has any. */
  private readonly credentialIds = new KeyedSets<string, string>();

  constructor(
    private readonly admission: Admission,
    private readonly profiles: Profiles,
    private readonly refusals: Refusals,
    credentials: DeviceCredentialsReader,
  ) {
    credentials.onChange((_id, credential, previous) => {
      if (previous) this.credentialIds.delete(previous.deviceId ?? '', previous.credentialId);
      if (credential) this.addCredential(credential);
    });
  }

  /** Throws RetryLater while the directory has not decided on a new endpoint. */
  async admit(request: UplinkRequest): Promise<AdmittedBootstrap | { refusal: UplinkReply }> {
    try {
      return await this.admitNamed(request, parseBootstrap(request.query, asksForPack(request.path)));
    } catch (error) {
      if (error instanceof WrongParameter) return { refusal: { code: '4.00', diagnostic: error.message } };
      throw error;
    }
  }

  private async admitNamed(
    { sender, address, path }: UplinkRequest,
    { endpointName, preferredFormat, bootstrapAccount }: BootstrapParameters,
  ): Promise<AdmittedBootstrap | { refusal: UplinkReply }> {
    const name = endpointName ?? (await this.admission.nameOf(sender));
    if (name === undefined || name.trim() === '') throw new WrongParameter('ep', 'is missing');
    if (!hasAtMostCharacters(name, endpointNameMax))
      throw new WrongParameter('ep', `must have at most ${endpointNameMax} characters`);
    const admitted = await this.admission.admit(sender, name);
    if (!admitted) return { refusal: { code: '4.03' } };
    const { accountId } = sender;
    const { deviceId } = admitted;
    // A sender without security could otherwise give itself the credential of any device.
    if (!sender.credential && this.credentialIds.get(deviceId).size > 0) {
      this.refusals.report('no-bootstrap-credential', { address, accountId, deviceId, shown: name });
      return { refusal: { code: '4.03', diagnostic: 'this device has a bootstrap credential: it must show it' } };
    }
    const profile = this.profiles.profileOf(accountId, deviceId);
    if (!profile)
      return { refusal: { code: withoutProfile(path), diagnostic: 'no bootstrap profile applies to this device' } };
    return { deviceId, accountId, profile, preferredFormat, bootstrapAccount };
  }

  private addCredential({ service, deviceId, credentialId }: DeviceCredentialChanged): void {
    if (service === 'bootstrap' && deviceId !== undefined) this.credentialIds.add(deviceId, credentialId);
  }
}
