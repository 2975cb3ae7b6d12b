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

export const nameIn = ({ name, preferred_username: short, email, sub }: Readonly<Record<string, unknown>>): string =>
  (textOf(name) ?? textOf(short) ?? textOf(email) ?? String(sub)).slice(0, nameMax);

/** An address that the provider has not verified is ignored. */
export const emailIn = ({ email, email_verified: isVerified }: Readonly<Record<string, unknown>>): string | null =>
  isVerified === false ? null : (textOf(email)?.slice(0, 254) ?? null);
