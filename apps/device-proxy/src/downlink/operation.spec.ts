import { describe, expect, it } from '@jest/globals';
import { type CommandRequest, isRepeatable, operationOf } from './operation.js';

const ask = (asked: Partial<CommandRequest>): CommandRequest => ({
  kind: 'device-request',
  method: 'GET',
  path: '/3303/0/5700',
  query: [],
  accept: null,
  payload: null,
  ...asked,
});
const payload = Buffer.from('1');

describe('operationOf', () => {
  it.each<[Partial<CommandRequest>, string]>([
    [{}, 'read'],
    [{ accept: 'application/link-format' }, 'discover'],
    [{ accept: 'Application/Link-Format; charset=utf-8' }, 'discover'],
    [{ accept: '40' }, 'discover'],
    [{ accept: '110' }, 'read'],
    [{ method: 'PUT', payload }, 'write'],
    [{ method: 'PUT' }, 'write'],
    [{ method: 'PUT', query: ['pmin=10', 'gt=5'] }, 'write-attributes'],
    [{ method: 'PUT', query: ['pmin=10'], payload }, 'write'],
    [{ method: 'POST' }, 'execute'],
    [{ method: 'POST', payload }, 'execute'],
    [{ method: 'POST', path: '/3303/0', payload }, 'write-partial'],
    [{ method: 'POST', path: '/3303', payload }, 'create'],
    [{ method: 'DELETE', path: '/3303/0' }, 'delete'],
    [{ kind: 'subscription' }, 'observe'],
    [{ kind: 'subscription', method: 'FETCH', path: '/' }, 'observe-composite'],
  ])('%j is %s', (asked, operation) => {
    expect(operationOf(ask(asked))).toBe(operation);
  });

  it('execute, create and delete are never repeated', () => {
    expect((['read', 'write', 'observe', 'execute', 'create', 'delete'] as const).map(isRepeatable)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
