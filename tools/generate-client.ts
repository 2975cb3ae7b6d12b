/** Before the client is built, checked or tested: its types. */
import { writeClientTypes } from './docs/client-types.ts';

writeClientTypes();
