/** Several paths in one observation (Observe-Composite, LwM2M 1.1 core §6.4.4). */
export interface CompositePaths {
  paths: readonly string[];
  /** Content-Format of the list of paths. */
  format: number;
}

/** An observation of one path, or of several together: which token its notifications carry. */
export interface Observation {
  /** For several paths: the id of the command that requested them. */
  path: string;
  /** Hex. */
  token: string;
  /** Content-Format that was asked for, to ask for the same again; null: the device chose, as it refused the usual one. */
  accept?: number | null;
  /** The device observes this path by itself: the token is its own, and no request is needed. */
  auto?: boolean;
  together?: CompositePaths;
}

export type Target = Omit<Observation, 'token' | 'auto'>;

const none: readonly Observation[] = [];

/** The observations of one device, by path. Most have a few, or none: a list takes a fraction of what a Map does. */
export class Observations {
  private list: readonly Observation[] = none;

  get(path: string): Observation | undefined {
    return this.list.find((one) => one.path === path);
  }

  has(path: string): boolean {
    return this.get(path) !== undefined;
  }

  withToken(token: string): Observation | undefined {
    return this.list.find((one) => one.token === token);
  }

  set({ path, token, accept, auto, together }: Observation): void {
    // Written out and joined: a copy made with `...` would hold on to room for much more.
    const observation: Record<keyof Observation, unknown> & Observation = { path, token, accept, auto, together };
    this.list = this.list.filter((one) => one.path !== path).concat(observation);
  }

  delete(path: string): void {
    const left = this.list.filter((one) => one.path !== path);
    this.list = left.length === 0 ? none : left.slice();
  }

  /** A copy, which later changes do not affect. */
  all(): readonly Observation[] {
    return this.list;
  }
}
