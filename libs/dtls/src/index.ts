export { AlertDescription } from './alerts.js';
export { DecodeError, DtlsError, RecordTooLarge, SequenceExhausted, UnencodableMessage } from './errors.js';
