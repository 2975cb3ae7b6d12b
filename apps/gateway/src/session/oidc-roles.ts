/** The value of a claim. Dots lead into objects, unless a claim has exactly this name, as claims named by URLs do. */
const claimOf = (claims: Readonly<Record<string, unknown>>, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined,
      claims,
    );
};

/** The roles of a person: an array of strings, or a single one. */
export const rolesIn = (claims: Readonly<Record<string, unknown>>, name: string): string[] =>
  [claimOf(claims, name)].flat().filter((role) => typeof role === 'string');

const textOf = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim.trim() !== '' ? claim.trim() : undefined;

const nameMax = 100;
const emailMax = 254;

/** As PostgreSQL can store it, with U+FFFD in place of a NUL or half of a surrogate pair, which a cut may leave too. */
const storable = (text: string, max: number): string => text.slice(0, max).replace(/\0|\p{Surrogate}/gu, '\ufffd');

export const nameIn = ({ name, preferred_username: short, email, sub }: Readonly<Record<string, unknown>>): string =>
  storable(textOf(name) ?? textOf(short) ?? textOf(email) ?? String(sub), nameMax);

/** An address that the provider has not verified is ignored. */
export const emailIn = ({ email, email_verified: isVerified }: Readonly<Record<string, unknown>>): string | null => {
  const address = textOf(email);
  return isVerified === false || address === undefined ? null : storable(address, emailMax);
};
