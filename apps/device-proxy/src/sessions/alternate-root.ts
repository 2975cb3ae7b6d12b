import { removeRoot } from '@lanyard/lwm2m';

/** In formats that name their paths: without the alternate root of the device. */
export const withoutRoot = <T extends { payload: Buffer; contentFormat?: number | undefined }>(
  message: T,
  root: string,
): T => {
  const { contentFormat, payload } = message;
  if (root === '' || contentFormat === undefined) return message;
  return { ...message, payload: removeRoot(contentFormat, payload, root) };
};
