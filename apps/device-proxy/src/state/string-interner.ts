/** So many different ones are remembered. */
const rememberedMax = 10_000;

/** Texts that come again and again, such as the id of an account: each is kept once. */
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

/** Those of this process. */
export const stringInterner = new StringInterner();
