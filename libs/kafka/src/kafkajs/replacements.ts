import { retryBrokenLogin } from './broken-login.js';
import { retryBrokerNotConnected } from './broker-not-connected.js';
import { retryCoordinatorNotFound } from './coordinator-not-found.js';
import { replaceFetchWait } from './fetch-abort.js';
import { replaceFetchResponse } from './fetch-response.js';
import { replaceIdlePolling } from './idle-requests.js';
import { listLeaderlessTopics } from './leaderless-topics.js';
import { kafkajsVersion } from './modules.js';
import { replaceProduceRequest } from './produce-request.js';
import { replaceRequestCopies } from './request-headroom.js';
import { rejoinAsSameMember } from './same-member.js';
import { endSilentConnections } from './silent-connection.js';
import { keepSingleSocket } from './single-socket.js';
import { readReplacements, type Replacement, switchOn } from './switches.js';

/** The only version whose private modules this folder knows. */
const knownVersion = '2.2.4';

/** Replacements that change kafkajs. The others are parts of this library that check their switch. */
const changes: Partial<Record<Replacement, () => void>> = {
  'fetch-response': replaceFetchResponse,
  'fetch-abort': replaceFetchWait,
  'produce-request': replaceProduceRequest,
  'request-copies': replaceRequestCopies,
  'idle-polling': replaceIdlePolling,
  'same-member': rejoinAsSameMember,
  'coordinator-not-found': retryCoordinatorNotFound,
  'broker-not-connected': retryBrokerNotConnected,
  'broken-login': retryBrokenLogin,
  'leaderless-topics': listLeaderlessTopics,
  'single-socket': keepSingleSocket,
  'silent-connection': endSilentConnections,
};

let applied: string | undefined;

/** Throws when kafkajs is not the version that this folder was written for. */
export const checkVersion = (version = kafkajsVersion()): void => {
  if (version !== knownVersion)
    throw new Error(
      `kafkajs ${version} is installed, but libs/kafka replaces parts of ${knownVersion} only: install that version, or check libs/kafka/src/kafkajs against the new one`,
    );
};

/**
 * Replaces parts of kafkajs in this process, once, before the first client connects. `wanted`: KAFKAJS_REPLACEMENTS. Throws
 * for an unknown version of kafkajs, an unknown name, and when others were replaced before.
 */
export const replaceParts = (wanted = 'all'): void => {
  if (applied === wanted) return;
  if (applied !== undefined)
    throw new Error(`the replacements of kafkajs are ${applied} in this process, not ${wanted}`);
  checkVersion();
  for (const name of readReplacements(wanted)) {
    changes[name]?.();
    switchOn(name);
  }
  applied = wanted;
};
