/** @typedef {import('../../libs/contracts/dist/index.js').Topic<any>} Topic */

/** @param {readonly Topic[]} topics */
const names = (topics) => topics.map(({ name }) => name).join(', ') || '–';

const rowPattern = /^(\| \[([a-z-]+)\]\(apps\/[^|]*\|[^|]*\|)[^|]*\|[^|]*\|/gm;

/**
 * The README with the topics of each app in the table of apps, as the contracts say.
 * @param {string} readme @param {readonly Topic[]} topics
 */
export const withTopics = (readme, topics) =>
  readme.replace(rowPattern, (_row, ahead, app) => {
    const read = topics.filter(({ consumers }) => consumers.includes(app));
    const written = topics.filter(({ producers }) => producers.includes(app));
    return `${ahead} ${names(read)} | ${names(written)} |`;
  });
