/** Size of the cache, in characters: a record has about a thousand. */
const charactersMax = 16_000_000;

interface Kept {
  version: string;
  text: string;
}

/** Cache of the records that were read last. Callers pass the current version, so a hit is never stale. */
export class RecordTextCache {
  private readonly kept = new Map<string, Kept>();
  private characters = 0;

  constructor(private readonly max = charactersMax) {}

  get(id: string, version: string): string | undefined {
    const found = this.kept.get(id);
    if (found?.version !== version) return undefined;
    // Moved to the end: the most recently used stays longest.
    this.kept.delete(id);
    this.kept.set(id, found);
    return found.text;
  }

  put(id: string, version: string, text: string): void {
    this.drop(id);
    this.kept.set(id, { version, text });
    this.characters += text.length;
    for (const oldest of this.kept.keys()) {
      if (this.characters <= this.max) return;
      this.drop(oldest);
    }
  }

  private drop(id: string): void {
    this.characters -= this.kept.get(id)?.text.length ?? 0;
    this.kept.delete(id);
  }
}
