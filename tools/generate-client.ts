/** Writes the types of the client, before it is built, checked or tested. */
import { writeClientTypes } from './docs/client-types.ts';

writeClientTypes();
