import { removeRoot } from '@lanyard/lwm2m';

/** Removes the alternate root of the device from the paths of the payload, in formats that name their paths. */
export const withoutRoot = <T extends { payload: Buffer; contentFormat?: number | undefined }>(
  message: T,
  root: string,
): T => {
  const { contentFormat, payload } = message;
  if (root === '' || contentFormat === undefined) return message;
  return { ...message, payload: removeRoot(contentFormat, payload, root) };
};
