import { createHash } from 'node:crypto';
import type { CampaignCommandIssued } from '@lanyard/contracts';
import { Injectable } from '@nestjs/common';
import type { NewCommand } from '../commands/command-intake.js';
import { Commands } from '../commands/commands.js';
import { campaignRetryMax, devicesAtOnce } from './limits.js';

/** A hash of the whole message. It covers the command id, so different commands have different fingerprints. */
const fingerprint = (fact: CampaignCommandIssued): string =>
  createHash('sha256').update(JSON.stringify(fact)).digest('hex');

/** undefined for a cancellation. */
const commandOf = (fact: CampaignCommandIssued): NewCommand | undefined => {
  const { commandId, campaignId, deviceId, accountId, method, path, payload, contentType, expirySeconds } = fact;
  const { sealedTicket } = fact;
  if (fact.action !== 'execute' || method === undefined || path === undefined || expirySeconds === undefined)
    return undefined;
  return {
    deviceId,
    accountId,
    keyId: campaignId,
    asyncId: commandId,
    kind: 'campaign',
    method,
    path,
    query: [],
    accept: null,
    contentType: contentType ?? null,
    payload: payload === undefined ? null : Buffer.from(payload, 'base64'),
    sealedTicket: sealedTicket ?? null,
    retryMax: campaignRetryMax,
    expirySeconds,
    fingerprint: fingerprint(fact),
    issued: { id: commandId, expiresAt: new Date(Date.parse(fact.issuedAt) + expirySeconds * 1000) },
  };
};

/** Puts commands of campaigns into the queues of their devices. */
@Injectable()
export class CampaignCommands {
  constructor(private readonly commands: Commands) {}

  /** Applies the commands of one device in order, and those of several devices concurrently. Repeating them has no effect. */
  async apply(facts: readonly CampaignCommandIssued[]): Promise<void> {
    const ofDevices = new Map<string, CampaignCommandIssued[]>();
    for (const fact of facts) ofDevices.set(fact.deviceId, [...(ofDevices.get(fact.deviceId) ?? []), fact]);
    const waiting = [...ofDevices.values()];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) for (const fact of next) await this.applyOne(fact);
    };
    await Promise.all(Array.from({ length: devicesAtOnce }, work));
  }

  private applyOne(fact: CampaignCommandIssued): Promise<void> {
    const command = commandOf(fact);
    if (command === undefined) return this.commands.cancelIssued(fact.commandId);
    return this.commands.acceptFromCampaign(command);
  }
}
