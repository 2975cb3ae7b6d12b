/** Distinct strings that are kept. */
const rememberedMax = 10_000;

/** Keeps one copy of strings that recur, such as account ids. */
export class StringInterner {
  private readonly known = new Map<string, string>();

  intern(text: string): string {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    if (this.known.size >= rememberedMax) this.known.clear();
    this.known.set(text, text);
    return text;
  }
}

/** Shared by the whole process. */
export const stringInterner = new StringInterner();
