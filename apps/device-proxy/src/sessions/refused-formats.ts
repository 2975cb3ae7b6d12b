/** Paths remembered per session; when it is full, the list is cleared, which costs one more request for each path. */
const pathsMax = 256;

/** Paths that a device does not answer in the format that this service asks for by default, while it is registered. */
export class RefusedFormats {
  /** Created on demand: most devices refuse nothing. */
  private paths: Set<string> | undefined;

  has(path: string): boolean {
    return this.paths?.has(path) ?? false;
  }

  add(path: string): void {
    this.paths ??= new Set();
    if (this.paths.size >= pathsMax) this.paths.clear();
    this.paths.add(path);
  }
}
