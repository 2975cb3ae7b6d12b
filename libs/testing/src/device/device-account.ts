import { existsSync, readFileSync } from 'node:fs';
import { type DeviceSecurity, withKey } from './device-security.js';

interface Page<T> {
  data?: T[];
}

/** The device or its key cannot be created. The message says why. */
export class AccountFailed extends Error {}

/** The API refused a call. */
export class CallRefused extends AccountFailed {
  constructor(
    what: string,
    readonly status: number,
  ) {
    super(`${what} is answered with ${status}`);
  }
}

/** `npm start` has not run here, or is not ready. */
export class NoKeyFile extends AccountFailed {
  constructor(keyFile: string) {
    super(`there is no ${keyFile}: run "npm start" first, and wait until it says that Lanyard is running`);
  }
}

/** The API does not answer. */
export class NoAnswer extends AccountFailed {
  constructor(api: string, cause: unknown) {
    const { cause: inner, message } = cause as Error;
    // An error about several addresses has no message.
    const reason = inner instanceof Error ? inner.message || (inner as NodeJS.ErrnoException).code : message;
    super(`cannot reach the API at ${api}: ${reason}`, { cause });
  }
}

interface Access {
  api: string;
  /** Key of an administrator. */
  key: string;
}

/** A device of the directory and its pre-shared key, both created over REST with the key of an administrator. */
export class DeviceAccount {
  private credential = '';

  private constructor(
    private readonly access: Access,
    readonly deviceId: string,
    private readonly name: string,
  ) {}

  /** Finds the device with this endpoint name, or creates it. @throws AccountFailed */
  static async open(name: string, { api, keyFile }: { api: string; keyFile: string }): Promise<DeviceAccount> {
    if (!existsSync(keyFile)) throw new NoKeyFile(keyFile);
    const access = { api, key: readFileSync(keyFile, 'utf8').trim() };
    const query = `/v3/devices?endpoint_name=${encodeURIComponent(name)}`;
    const [found] = (await call<Page<{ id: string }>>(access, 'GET', query)).data ?? [];
    const { id } = found ?? (await call<{ id: string }>(access, 'POST', '/v3/devices', { endpoint_name: name }));
    return new DeviceAccount(access, id, name);
  }

  /** A new pre-shared key; the one of an earlier run is deleted. @throws AccountFailed */
  async newKey(): Promise<DeviceSecurity> {
    const wanted = { kind: 'psk', identity: this.name };
    const made = await this.credentials('POST', '', wanted).catch(async (error: unknown) => {
      if (!(error instanceof CallRefused) || error.status !== 409) throw error;
      await this.deleteFormer();
      return this.credentials('POST', '', wanted);
    });
    this.credential = made.id;
    return withKey(made.identity, made.key);
  }

  /** Deletes the key; the device stays. */
  async close(): Promise<void> {
    if (this.credential) await this.credentials('DELETE', `/${this.credential}`);
  }

  private async deleteFormer(): Promise<void> {
    const path = `/v3/devices/${this.deviceId}/credentials?kind=psk`;
    const { data = [] } = await call<Page<{ id: string; identity: string }>>(this.access, 'GET', path);
    for (const { id, identity } of data)
      if (identity.endsWith(`:${this.name}`)) await this.credentials('DELETE', `/${id}`);
  }

  private credentials(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ id: string; identity: string; key: string }> {
    return call(this.access, method, `/v3/devices/${this.deviceId}/credentials${path}`, body);
  }
}

const call = async <T>({ api, key }: Access, method: string, path: string, body?: object): Promise<T> => {
  const response = await fetch(api + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(10_000),
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new NoAnswer(api, error);
  });
  const text = await response.text();
  if (!response.ok) throw new CallRefused(`${method} ${path.split('?')[0]}`, response.status);
  return (text === '' ? {} : JSON.parse(text)) as T;
};
