/** An instance of object 33010, which has a resource of every type. */
export const specimen = '/33010/0';

/** The values of the device after `vary N`, as the snapshot decodes them; bytes are left out. */
export const varied = (n: number): Record<string, unknown> => ({
  [`${specimen}/0`]: `text ${n}`,
  [`${specimen}/1`]: -1000 * n,
  [`${specimen}/2`]: n + 0.5,
  [`${specimen}/3`]: n % 2 === 1,
  [`${specimen}/5`]: 1_700_000_000 + n,
  [`${specimen}/6`]: `3303:${n}`,
  [`${specimen}/7`]: 3_000_000_000 + n,
});

export const variedBytes = (n: number): Buffer => Buffer.from([0, n]);

/** The values of the resource with instances, by path of the instance. */
export const variedInstances = (n: number): Record<string, unknown> => ({
  [`${specimen}/8/0`]: `a${n}`,
  [`${specimen}/8/7`]: `b${n}`,
});

/** Resource 4 after `fill BYTES`. */
export const filled = (bytes: number): Buffer => Buffer.from(Array.from({ length: bytes }, (_, at) => at * 31));

/** `Arrays.hashCode(byte[])` of Java. */
export const javaHash = (bytes: Buffer): number => {
  let hash = 1;
  for (const byte of bytes) hash = (Math.imul(31, hash) + ((byte << 24) >> 24)) | 0;
  return hash;
};
