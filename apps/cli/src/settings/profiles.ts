import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NameUnknown, UsageError } from '../errors.js';
import { closest } from '../names/closest.js';

export interface Profile {
  url: string;
  /** An API key, or the token of a person's session. */
  key: string;
}

export const isSessionToken = (key: string): boolean => key.startsWith('ls_');

interface Contents {
  current: string;
  profiles: Record<string, Profile>;
}

const fileName = 'profiles.json';
const readableByOthers = 0o077;
const emptyContents = (): Contents => ({ current: 'default', profiles: {} });

const isProfile = (value: unknown): boolean => {
  const { url, key } = (value ?? {}) as Partial<Record<keyof Profile, unknown>>;
  return typeof url === 'string' && typeof key === 'string';
};

/** Checks all of the content, because people edit the file. */
const isContents = (value: unknown): value is Contents => {
  const { current, profiles } = (value ?? {}) as Partial<Record<keyof Contents, unknown>>;
  if (typeof current !== 'string' || typeof profiles !== 'object' || profiles === null) return false;
  return Object.values(profiles).every(isProfile);
};

/** Addresses and keys by name, in a file that only its owner can read. */
export class Profiles {
  readonly file: string;

  constructor(private readonly folder: string) {
    this.file = join(folder, fileName);
  }

  get current(): string {
    return this.read().current;
  }

  all(): [string, Profile][] {
    return Object.entries(this.read().profiles);
  }

  find(name: string): Profile | undefined {
    const { profiles } = this.read();
    return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  }

  /** Throws NameUnknown. */
  get(name: string): Profile {
    const profile = this.find(name);
    if (profile) return profile;
    const near = closest(
      name,
      this.all().map(([each]) => each),
    );
    throw new NameUnknown(`There is no profile "${name}".`, near && `Did you mean "${near}"?`);
  }

  /** Stores a profile and makes it the current one. */
  save(name: string, profile: Profile): void {
    const { profiles } = this.read();
    this.write({ current: name, profiles: { ...profiles, [name]: profile } });
  }

  /** Throws NameUnknown. */
  select(name: string): void {
    this.get(name);
    this.write({ ...this.read(), current: name });
  }

  remove(name: string): void {
    const { current, profiles } = this.read();
    const { [name]: _, ...others } = profiles;
    this.write({ current: current === name ? (Object.keys(others)[0] ?? 'default') : current, profiles: others });
  }

  private read(): Contents {
    let text: string;
    try {
      this.refuseReadableByOthers();
      text = readFileSync(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return emptyContents();
      throw error;
    }
    let contents: unknown;
    try {
      contents = JSON.parse(text);
    } catch {
      // Refused below, like JSON of another form.
    }
    if (isContents(contents)) return contents;
    throw new UsageError(`${this.file} does not contain profiles as JSON.`, 'Correct or delete it, and sign in again.');
  }

  private refuseReadableByOthers(): void {
    if (process.platform === 'win32') return;
    const mode = statSync(this.file).mode & 0o777;
    if ((mode & readableByOthers) !== 0)
      throw new UsageError(
        `${this.file} contains keys, but other users may read it (mode ${mode.toString(8)}).`,
        `Run "chmod 600 ${this.file}", and rotate the keys in it if others may have seen them.`,
      );
  }

  /** If the write is interrupted, the old file stays. */
  private write(contents: Contents): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const written = `${this.file}.${process.pid}`;
    writeFileSync(written, `${JSON.stringify(contents, null, 2)}\n`, { mode: 0o600 });
    chmodSync(written, 0o600);
    renameSync(written, this.file);
  }
}
