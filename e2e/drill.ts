/** Parts of the drills that tests use as well. */
export { ApiClient } from '../tools/drill/api-client.ts';
export { SocketApplication } from '../tools/drill/applications.ts';
export { isAlive } from '../tools/lanyard/processes.ts';
