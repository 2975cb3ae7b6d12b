/** Parts of the drills that tests use as well. */
export { ApiClient } from '../tools/drill/api-client.mjs';
export { SocketApplication } from '../tools/drill/applications.mjs';
export { isAlive } from '../tools/lanyard/processes.mjs';
