import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A message that the local server accepted. */
export interface Forwarded {
  /** Position in the channel. */
  next: string;
  body: string;
}

/** Messages kept for `--replay`. */
export const keptMax = 100;

const parsed = (line: string): Forwarded[] => {
  try {
    return [JSON.parse(line) as Forwarded];
  } catch {
    // The last line is incomplete if the program was killed while it wrote.
    return [];
  }
};

/** The messages that were forwarded, in a file that outlives the program: where to continue, and what to send again. */
export class Journal {
  private readonly file: string;
  private readonly kept: Forwarded[];
  private lines = 0;

  /** `source`: the channel and the target; each pair has its own journal. */
  constructor(
    private readonly folder: string,
    source: string,
  ) {
    const name = createHash('sha256').update(source).digest('hex').slice(0, 16);
    this.file = join(folder, `forward-${name}.jsonl`);
    this.kept = this.read();
    this.compact();
  }

  get position(): string | undefined {
    return this.kept.at(-1)?.next;
  }

  last(count: number): Forwarded[] {
    return count === 0 ? [] : this.kept.slice(-count);
  }

  add(forwarded: Forwarded): void {
    appendFileSync(this.file, `${JSON.stringify(forwarded)}\n`);
    this.kept.push(forwarded);
    this.lines++;
    if (this.kept.length > keptMax) this.kept.shift();
    if (this.lines > 2 * keptMax) this.compact();
  }

  private read(): Forwarded[] {
    try {
      return readFileSync(this.file, 'utf8').split('\n').flatMap(parsed).slice(-keptMax);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  private compact(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const written = `${this.file}.new`;
    writeFileSync(written, this.kept.map((each) => `${JSON.stringify(each)}\n`).join(''), { mode: 0o600 });
    renameSync(written, this.file);
    this.lines = this.kept.length;
  }
}
