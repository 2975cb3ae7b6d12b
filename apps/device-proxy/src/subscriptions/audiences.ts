import type { Subscription } from './subscription.entity.js';

/** Path -> keys that subscribed to it. */
export type Audience = ReadonlyMap<string, readonly string[]>;

/** So many different ones are remembered; a fleet under rules has a handful. */
const rememberedMax = 1_000;

export const nobody: Audience = new Map();

/** Audiences of devices. Rules give whole fleets the same one: they share it. */
export class Audiences {
  private readonly remembered = new Map<string, Audience>();

  /** `rows` in the order of their paths and keys. */
  of(rows: readonly Pick<Subscription, 'path' | 'keyId'>[]): Audience {
    if (rows.length === 0) return nobody;
    const text = rows.map(({ path, keyId }) => `${path} ${keyId}`).join();
    const known = this.remembered.get(text);
    if (known) return known;
    const audience = new Map<string, string[]>();
    for (const { path, keyId } of rows) audience.set(path, [...(audience.get(path) ?? []), keyId]);
    if (this.remembered.size >= rememberedMax) this.remembered.clear();
    this.remembered.set(text, audience);
    return audience;
  }
}
