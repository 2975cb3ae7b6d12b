import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/** 32 bytes each. The first seals, all open: put a new one in front to rotate. */
export type EncryptionKeys = Buffer | readonly Buffer[];

/** The text was sealed with a key that is not among those given. */
export class UnknownEncryptionKey extends Error {
  constructor(id: string) {
    super(`Sealed with the key ${id}, which ENCRYPTION_KEY does not hold (any more)`);
    this.name = 'UnknownEncryptionKey';
  }
}

/** Tells keys apart, and proves nothing: 8 hex characters. */
export const encryptionKeyId = (key: Buffer): string => hash('sha256', key, 'hex').slice(0, 8);

/** A key as text. For a Buffer, node:crypto throws and catches two errors, which takes longer than the encryption. */
const textOf = (key: Buffer): string => key.toString('latin1');
const keyIsText = { encoding: 'latin1' } as const;

const listOf = (keys: EncryptionKeys): readonly Buffer[] => (Buffer.isBuffer(keys) ? [keys] : keys);

const firstOf = (keys: EncryptionKeys): Buffer => {
  const [first] = listOf(keys);
  if (!first) throw new Error('no encryption key');
  return first;
};

const sealWith = (key: Buffer, plain: string | Buffer): string => {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', textOf(key), nonce, keyIsText);
  const body = Buffer.concat([
    typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain),
    cipher.final(),
  ]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
};

/** Throws UnknownEncryptionKey. */
const keyOf = (keys: EncryptionKeys, id: string): Buffer => {
  const key = listOf(keys).find((one) => encryptionKeyId(one) === id);
  if (!key) throw new UnknownEncryptionKey(id);
  return key;
};

const openWith = (key: Buffer, body: string): string => openBytes(key, body).toString('utf8');

const openBytes = (key: Buffer, body: string): Buffer => {
  const bytes = Buffer.from(body, 'base64');
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', textOf(key), nonce, { ...keyIsText, authTagLength: tagBytes });
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
};

/** A dot is not in the alphabet of base64. */
const partsOf = (sealed: string): { id?: string; body: string } => {
  const at = sealed.indexOf('.');
  return at < 0 ? { body: sealed } : { id: sealed.slice(0, at), body: sealed.slice(at + 1) };
};

/**
 * AES-256-GCM for secrets at rest. Result: base64 of nonce, tag and ciphertext, with the id of the key and a dot in
 * front when there are several keys. With a single one there is no id: versions before there were ids read it too.
 */
export const seal = (keys: EncryptionKeys, plain: string): string => {
  const key = firstOf(keys);
  const body = sealWith(key, plain);
  return listOf(keys).length > 1 ? `${encryptionKeyId(key)}.${body}` : body;
};

/** Throws UnknownEncryptionKey, or an error of node:crypto when the key is another one or the text was changed. */
export const open = (keys: EncryptionKeys, sealed: string): string => {
  const { id, body } = partsOf(sealed);
  if (id !== undefined) return openWith(keyOf(keys, id), body);
  const [last, ...others] = [...listOf(keys)].reverse();
  for (const key of others.reverse()) {
    try {
      return openWith(key, body);
    } catch {
      // The tag shows that the text was sealed with another key.
    }
  }
  return openWith(last ?? firstOf(keys), body);
};

/** The text sealed with the first key; undefined when it is already. Throws like `open`. */
export const reseal = (keys: EncryptionKeys, sealed: string): string | undefined => {
  const { id, body } = partsOf(sealed);
  const first = firstOf(keys);
  if (id === encryptionKeyId(first)) return undefined;
  if (id === undefined) {
    try {
      openWith(first, body);
      return undefined;
    } catch {
      // Sealed with another key, or with none of these: `open` decides.
    }
  }
  return seal(keys, open(keys, sealed));
};

/** A key for one purpose: whatever is done with it says nothing about the key, nor about those for other purposes. */
export const deriveKey = (key: Buffer, purpose: string): Buffer =>
  createHmac('sha256', textOf(key), keyIsText).update(purpose).digest();

/** The same for each key, the first one first, with the id of the key that it comes from. */
export const deriveKeys = (keys: EncryptionKeys, purpose: string): { id: string; key: Buffer }[] =>
  listOf(keys).map((key) => ({ id: encryptionKeyId(key), key: deriveKey(key, purpose) }));

/**
 * Like `seal`, for what is sealed often: each purpose has a key of its own, because the random nonces of one key suffice only for
 * 2^32 uses. What was sealed for another purpose does not open. The id of the key is always in front.
 */
export const sealFor = (keys: EncryptionKeys, purpose: string, plain: Buffer): string => {
  const key = firstOf(keys);
  return `${encryptionKeyId(key)}.${sealWith(deriveKey(key, purpose), plain)}`;
};

/** Throws UnknownEncryptionKey, or an error of node:crypto when the purpose or the text differs. */
export const openFor = (keys: EncryptionKeys, purpose: string, sealed: string): Buffer => {
  const { id = '', body } = partsOf(sealed);
  return openBytes(deriveKey(keyOf(keys, id), purpose), body);
};
