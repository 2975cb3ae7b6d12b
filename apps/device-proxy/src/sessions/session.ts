/** One entry of a registration's link list, alternate root already taken off its path. */
export interface RegisteredLink {
  path: string;
  rt?: string;
  if?: string;
  ct?: string;
  /** The device says that this path can be observed. */
  obs: boolean;
  /** Token of an observation that the device made by itself (spec §2.4 rule 3), in hex. */
  autoToken?: string;
}

/** What a device said of itself when it registered or updated its registration. */
export interface RegistrationData {
  endpointName: string;
  endpointType?: string;
  lifetimeSeconds: number;
  lwm2mVersion: string;
  binding: string;
  queueMode: boolean;
  /** Prefix of all paths on the device (`rt="oma.lwm2m"`), or ''. */
  rootPath: string;
  /** Content-Formats that the root link lists. */
  contentFormats: number[];
  links: RegisteredLink[];
  /** Query parameters nobody knows: kept, not refused. */
  attributes: Record<string, string>;
  registeredAtMs: number;
  /** The directory did not know the endpoint when it registered. */
  firstContact: boolean;
}

/** An observation of one path: which token its notifications carry. */
export interface Observation {
  path: string;
  /** Hex. */
  token: string;
  /** Content-Format that was asked for, to ask for the same again. */
  accept?: number;
  /** The device observes this path by itself: the token is its own and nobody has to ask for it. */
  auto?: boolean;
}

/** A session as Redis holds it. */
export interface StoredSession {
  deviceId: string;
  epoch: number;
  registrationId: string;
  accountId: string;
  address: string;
  heardAtMs: number;
  expiresAtMs: number;
  data: RegistrationData;
  observations: Observation[];
}

/** The session of a device that this replica owns. */
export class Session {
  readonly deviceId: string;
  readonly accountId: string;
  readonly registrationId: string;
  readonly epoch: number;
  /** `ip:port` the device's last registration or update came from. */
  address: string;
  data: RegistrationData;
  heardAtMs: number;
  expiresAtMs: number;
  /** By path. */
  readonly observations = new Map<string, Observation>();
  /** Path -> keys that subscribed to it: the audience of what arrives. */
  audience: ReadonlyMap<string, readonly string[]> = new Map();
  /** The device has the answer to its registration: before that nothing may be asked of it. */
  greeted = false;
  /** A request stayed without an answer: nothing is sent until the device is heard again. */
  silent = false;
  /** Aborted when the session ends here, by deregistration, expiry or take-over. */
  private readonly ended = new AbortController();
  private lastSequence = 0;

  constructor(stored: StoredSession) {
    this.deviceId = stored.deviceId;
    this.accountId = stored.accountId;
    this.registrationId = stored.registrationId;
    this.epoch = stored.epoch;
    this.address = stored.address;
    this.data = stored.data;
    this.heardAtMs = stored.heardAtMs;
    this.expiresAtMs = stored.expiresAtMs;
    for (const observation of stored.observations) this.observations.set(observation.path, observation);
  }

  /** Orders what arrives within this epoch. */
  nextSequence(): number {
    return ++this.lastSequence;
  }

  observationWith(token: string): Observation | undefined {
    for (const observation of this.observations.values()) if (observation.token === token) return observation;
    return undefined;
  }

  get signal(): AbortSignal {
    return this.ended.signal;
  }

  end(): void {
    this.ended.abort();
  }
}
