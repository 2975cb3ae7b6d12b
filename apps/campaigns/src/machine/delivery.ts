import { packageSchemes, type PackageSource } from '../config.js';
import type { AdvanceContext, Goal, Report } from './device-update.js';

/** Values of /5/0/9 (LwM2M 1.1 core appendix E.6). */
const deliveryMethods = { pull: 0, push: 1, both: 2 } as const;

/** Values of /5/0/8 are indexes into `packageSchemes`. */
const isSupported = ({ scheme }: PackageSource, protocols: readonly number[] | undefined): boolean =>
  protocols === undefined || protocols.includes(packageSchemes.indexOf(scheme));

/** The scheme by which the device is connected comes first: it is known to work. */
const sourceFor = (
  { packageSources, transport }: AdvanceContext,
  protocols: readonly number[] | undefined,
): PackageSource | undefined => {
  const usable = packageSources.filter((source) => isSupported(source, protocols));
  return usable.find(({ scheme }) => scheme === transport) ?? usable[0];
};

export type PackageDelivery = { delivery: 'push'; packageSource: null } | { delivery: 'pull'; packageSource: string };

/** How the device gets the package. undefined: it supports no delivery that the campaign and the settings allow. */
export const deliveryFor = (
  { protocols, deliveryMethod }: Report,
  { delivery: wanted }: Goal,
  context: AdvanceContext,
): PackageDelivery | undefined => {
  const mayPull = wanted !== 'push' && deliveryMethod !== deliveryMethods.push;
  const source = mayPull ? sourceFor(context, protocols) : undefined;
  if (source) return { delivery: 'pull', packageSource: source.baseUrl };
  const mayPush = wanted !== 'pull' && deliveryMethod !== deliveryMethods.pull;
  return mayPush ? { delivery: 'push', packageSource: null } : undefined;
};
