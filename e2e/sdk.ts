import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { Application } from './application.ts';
import { administratorKey, documentedCalls } from './documented-calls.ts';
import { fresh, registered } from './journeys.ts';
import { type Sdk, type Session, steps } from './sdk-session.ts';

/** Runs the steps one after another, even after one has failed, because the list tells for each whether it passes. */
const results = async (session: Session): Promise<{ rows: string[]; problems: string[] }> => {
  const rows: string[] = [];
  const problems: string[] = [];
  for (const { area, calls, run } of steps) {
    const problem = await run(session).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? `${error.message} ${error.stack ?? ''}` : JSON.stringify(error)),
    );
    if (problem !== undefined) problems.push(`${calls}: ${problem}`);
    rows.push(`${area} | ${calls} | ${problem === undefined ? 'passes' : 'fails'}`);
  }
  return { rows, problems };
};

/**
 * Journey 3: the unchanged JavaScript SDK of the compatible service. docs/compatibility.md lists which calls work; the list
 * is compared with the results.
 */
export const officialSdk = async (admin: Application, coapUrl: string): Promise<void> => {
  const { ConnectApi, DeviceDirectoryApi, AccountManagementApi, SDK } = createRequire(import.meta.url)(
    'mbed-cloud-sdk',
  ) as Sdk;
  // The SDK gets its own key with its own channel; the key manages other keys too.
  const config = { apiKey: await administratorKey(admin), host: admin.baseUrl };
  const demo = await registered(admin, 'sdk-device', coapUrl);
  try {
    const sdk = new SDK(config);
    // This part of the package accepts https only; the line is not needed behind a proxy with TLS.
    Object.assign(sdk.config, { host: admin.baseUrl });
    const session: Session = {
      connect: new ConnectApi(config),
      directory: new DeviceDirectoryApi(config),
      accounts: new AccountManagementApi(config),
      foundation: sdk.foundation(),
      app: admin.as(config.apiKey),
      demo,
      deviceId: demo.deviceId,
      fresh,
      made: new Map(),
    };
    const { rows, problems } = await results(session);
    expect(problems).toEqual([]);
    expect(rows).toEqual(documentedCalls('JavaScript SDK'));
  } finally {
    await demo.device.close();
  }
};
