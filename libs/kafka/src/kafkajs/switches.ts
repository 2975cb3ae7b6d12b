/** Replaced because kafkajs is slow. What each gains: `npm run bench -- kafkajs`. */
export const speedReplacements = [
  'fetch-response',
  'fetch-abort',
  'produce-request',
  'crc32c',
  'request-copies',
  'bundles',
  'partitioner',
  'idle-polling',
] as const;

/** Replaced because kafkajs is wrong. */
export const corrections = [
  'same-member',
  'coordinator-not-found',
  'broker-not-connected',
  'broken-login',
  'leaderless-topics',
  'single-socket',
  'silent-connection',
] as const;

export type Replacement = (typeof speedReplacements | typeof corrections)[number];

const known: readonly Replacement[] = [...speedReplacements, ...corrections];

const replaced = new Set<Replacement>();

/** `all`, `none`, or names with commas between them. Throws for an unknown name. */
export const readReplacements = (text: string): Replacement[] => {
  if (text === 'all') return [...known];
  const names = text === 'none' ? [] : text.split(',').map((name) => name.trim());
  const wanted = known.filter((name) => names.includes(name));
  const unknown = names.filter((name) => !wanted.some((one) => one === name));
  if (unknown.length > 0) throw new Error(`no replacement ${unknown.join(', ')}: there are ${known.join(', ')}`);
  // kafkajs would encode a bundle as one empty message.
  if (wanted.includes('bundles') && !wanted.includes('produce-request'))
    throw new Error('the replacement bundles needs produce-request');
  return wanted;
};

export const isReplaced = (name: Replacement): boolean => replaced.has(name);

export const switchOn = (name: Replacement): void => void replaced.add(name);
