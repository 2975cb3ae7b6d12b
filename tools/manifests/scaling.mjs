/** Autoscalers look at the consumer groups that exist: `<service>.<topic>` of every topic that the service handles. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lanyard/project.mjs';

/** @typedef {import('./kustomize.mjs').Manifest} Manifest */

/** Names of the topics that an app consumes in batches. @param {string} app @returns {Promise<string[]>} */
const consumedBy = async (app) => {
  const contracts = await import(join(root, 'libs/contracts/dist/index.js'));
  const source = join(root, 'apps', app, 'src');
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.consumer.ts'))
    .flatMap((file) => [...readFileSync(join(source, file), 'utf8').matchAll(/@OnBatch\((\w+)/g)])
    .map(([, topic = '']) => contracts[topic].name);
};

/** @param {Manifest} manifest @returns {Promise<string[]>} */
const problemsOf = async ({ metadata: { name: app }, spec }) => {
  const { triggers } = /** @type {{ triggers: { metadata: Record<string, string> }[] }} */ (spec);
  const groups = triggers.map(({ metadata }) => metadata.consumerGroup ?? '');
  const wanted = (await consumedBy(app)).map((topic) => `${app}.${topic}`);
  const unwatched = wanted.filter((group) => !groups.includes(group));
  const unknown = groups.filter((group) => !wanted.includes(group));
  const crossed = triggers.filter(({ metadata }) => metadata.consumerGroup !== `${app}.${metadata.topic}`);
  return [
    ...unwatched.map((group) => `ScaledObject ${app}: does not watch ${group}`),
    ...unknown.map((group) => `ScaledObject ${app}: watches ${group}, a group that does not exist`),
    ...crossed.map(({ metadata: m }) => `ScaledObject ${app}: ${m.consumerGroup} does not read ${m.topic}`),
  ];
};

/** @param {Manifest[]} manifests @returns {Promise<string[]>} */
export const scalingProblems = async (manifests) => {
  const problems = [];
  for (const manifest of manifests)
    if (manifest.kind === 'ScaledObject') problems.push(...(await problemsOf(manifest)));
  return problems;
};
