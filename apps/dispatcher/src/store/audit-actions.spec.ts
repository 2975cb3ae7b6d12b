import { describe, expect, it } from '@jest/globals';
import { changeOfSecrets, deletion, type Registered, registration } from './audit-actions.js';
import { defaultSerialization, Serialization } from '../db/serialization.js';

const actor = { keyId: 'key', accountId: 'account', requestId: 'request' };
const url = 'https://example.com/hook?token=hidden';
const before: Registered = {
  target: { url, headers: { a: 'hidden-1', b: 'hidden-2' } },
  serialization: defaultSerialization(),
  stopped: null,
};

describe('what operators do to channels', () => {
  it('a channel that was not there is created', () => {
    expect(registration(actor, 'callback', before, undefined)).toEqual({
      action: 'SYS_580',
      actor,
      target: { kind: 'notification-channel', id: 'key' },
      data: { channel_kind: 'callback' },
    });
  });

  it('one that is registered as it was is no action, whatever the order of its members', () => {
    const stored = Serialization.parse(JSON.parse(JSON.stringify(before.serialization)));
    const headers = { b: 'hidden-2', a: 'hidden-1' };
    const now = { ...before, target: { url, headers }, serialization: stored };
    expect(registration(actor, 'callback', now, before)).toBeUndefined();
  });

  it.each<[string, Partial<Registered>]>([
    ['url', { target: { url: `${url}-3`, headers: { a: 'hidden-1', b: 'hidden-2' } } }],
    ['headers', { target: { url, headers: { a: 'hidden-3', b: 'hidden-2' } } }],
    ['url,headers', { target: undefined }],
    ['serialization', { serialization: Serialization.parse({ cfg: { include_uid: true } }) }],
    ['stopped', { stopped: 'key_revoked' }],
  ])('names %s when it differs, and no value', (fields, change) => {
    const auditAction = registration(actor, 'callback', { ...before, ...change }, before);
    expect(auditAction).toMatchObject({ action: 'SYS_581', data: { channel_kind: 'callback', fields } });
    expect(JSON.stringify(auditAction)).not.toContain('hidden');
  });

  it('deletions and secrets say what it was done to', () => {
    expect(deletion(actor, 'websocket')).toMatchObject({ action: 'SYS_582', data: { channel_kind: 'websocket' } });
    expect(changeOfSecrets('SYS_583', actor, 'secret-id', actor.keyId)).toMatchObject({
      target: { kind: 'signing-secret', id: 'secret-id' },
      data: { key_id: 'key' },
    });
  });
});
