import { readFileSync } from 'node:fs';
import type { ReceivedRequest } from './answering-device.js';
import type { DeviceSecurity } from './device-security.js';
import { NotObserved } from './device-observers.js';
import { thermometer, type Thermometer } from './thermometer.js';

export interface DemonstrationOptions {
  name: string;
  server: string;
  /** For a server at `coaps://`. */
  security?: DeviceSecurity;
  lifetimeSeconds: number;
  periodSeconds: number;
  queueMode: boolean;
  /** Base URL of the API, and the file with a key for it: both are used to find the id of the device. */
  api: string;
  keyFile: string;
  say: (text: string) => void;
}

const temperature = '/3303/0/5700';
const connectAttempts = 10;
const attemptMs = 500;

const describe = ({ method, path, query, payload, observe }: ReceivedRequest): string => {
  const what = observe === 0 ? 'observe' : observe === 1 ? 'cancel' : method;
  return `<- ${what} ${path}${query.length > 0 ? `?${query.join('&')}` : ''}${payload ? ` "${payload}"` : ''}`;
};

const reasonOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return text.endsWith('4.03') ? `${text}: the service refuses this device, as it does while it is suspended` : text;
};

/** A thermometer that registers, stays registered, and notifies its observers of each change. */
export class Demonstration {
  private readonly demo: Thermometer;
  private timers: NodeJS.Timeout[] = [];
  private id: string | undefined;
  private isStopped = false;

  constructor(private readonly options: DemonstrationOptions) {
    const { name, server, security, lifetimeSeconds, queueMode, say } = options;
    this.demo = thermometer({
      name,
      server,
      lifetimeSeconds,
      queueMode,
      ackTimeoutMs: 2_000,
      ...(security && { security, dtls: { retransmissionMs: 1_000 } }),
      listsResources: true,
      parameters: { et: 'thermometer' },
    });
    this.demo.device.beforeAnswer = (request) => say(describe(request));
    this.demo.device.onWritten = (path) => this.notify(path, this.demo.text);
  }

  /** Resolves when the device is registered, or when `stop` was called before it was. */
  async start(): Promise<void> {
    try {
      await this.begin();
    } catch (error) {
      // `stop` closes the device, so what is in flight fails.
      if (!this.isStopped) throw error;
    }
  }

  /** Deregisters the device if it is registered, and closes it. */
  async stop(): Promise<void> {
    this.isStopped = true;
    const { device } = this.demo;
    for (const timer of this.timers) clearInterval(timer);
    // The server is not there, or has not answered yet: a registration that reached it all the same expires.
    if (device.registrationId === undefined) return device.close();
    await device
      .deregister()
      .then(
        () => this.options.say('deregistered'),
        (error: unknown) => this.options.say(String(error)),
      )
      .finally(() => device.close());
  }

  private async begin(): Promise<void> {
    const { lifetimeSeconds, periodSeconds } = this.options;
    await this.connect();
    // Opened after `stop` has closed it.
    if (this.isStopped) return this.demo.device.close();
    await this.register();
    if (this.isStopped) return;
    this.sayNext();
    this.timers = [
      setInterval(() => void this.stayRegistered(), (lifetimeSeconds * 1_000) / 2),
      setInterval(() => this.changeTemperature(), periodSeconds * 1_000),
    ];
  }

  /** Opens the socket. Over DTLS it tries several times: the server does not know a new key at once. */
  private async connect(): Promise<void> {
    const { say, security } = this.options;
    const { device } = this.demo;
    if (!security) return device.open();
    for (let attempt = 1; !this.isStopped; attempt++)
      try {
        await device.open();
        return say(`connected over DTLS 1.2 (${device.dtls?.cipherSuite})`);
      } catch (error) {
        if (attempt === connectAttempts) throw error;
        await new Promise((resolve) => setTimeout(resolve, attemptMs));
      }
  }

  private async register(): Promise<void> {
    const { name, say } = this.options;
    await this.demo.device.register();
    const id = await this.directoryId();
    this.id = id;
    say(id === undefined ? `registered; its id: GET /v3/devices?endpoint_name=${name}` : `registered; its id: ${id}`);
  }

  private async stayRegistered(): Promise<void> {
    await this.demo.device
      .update()
      .catch(async () => {
        if (this.isStopped) return;
        // The server may have lost the connection.
        this.demo.device.dtls?.drop({ resumes: true });
        await this.register();
      })
      .catch((error: unknown) => {
        if (this.isStopped) return;
        const { lifetimeSeconds, say } = this.options;
        say(`not registered, next attempt in ${lifetimeSeconds / 2} s (${reasonOf(error)})`);
      });
  }

  private sayNext(): void {
    const { api, keyFile, say } = this.options;
    if (this.id === undefined) return;
    const url = `${api}/v2/device-requests/${this.id}?async-id=read-1&wait=10`;
    say(`next, open its page in the console: ${api}/console/devices/${this.id}`);
    say('or, in another terminal, read its temperature; docs/tour.md continues from there:');
    say(`  curl -H "Authorization: Bearer $(cat '${keyFile}')" '${url}' -d '{"method":"GET","uri":"${temperature}"}'`);
  }

  private changeTemperature(): void {
    this.demo.celsius = Math.round((this.demo.celsius + Math.random() - 0.5) * 10) / 10;
    this.notify(temperature, this.demo.celsius);
  }

  private notify(path: string, value: string | number): void {
    const { say } = this.options;
    this.demo.device.changed(path).then(
      (observed) => {
        if (observed.length > 0) say(`-> ${path} ${value} (observed: ${observed.join(', ')})`);
      },
      (error: unknown) => {
        if (!(error instanceof NotObserved)) throw error;
        say(`${path} is not observed any more`);
      },
    );
  }

  /** The id of the device, which it does not know itself; undefined if the key file or the directory cannot be read. */
  private async directoryId(): Promise<string | undefined> {
    const { api, keyFile, name } = this.options;
    try {
      const authorization = `Bearer ${readFileSync(keyFile, 'utf8').trim()}`;
      const url = `${api}/v3/devices?endpoint_name=${encodeURIComponent(name)}`;
      const response = await fetch(url, { headers: { authorization }, signal: AbortSignal.timeout(5_000) });
      return ((await response.json()) as { data?: { id: string }[] }).data?.[0]?.id;
    } catch {
      return undefined;
    }
  }
}
