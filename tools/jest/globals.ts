/** The module that tests import as `@jest/globals`: it is loaded once, but returns the functions of the running file. */
import type * as Jest from '@jest/globals';

type Name = 'afterAll' | 'afterEach' | 'beforeAll' | 'beforeEach' | 'describe' | 'expect' | 'it';
type Globals = Pick<typeof Jest, Name>;

let current: Globals;

export const setGlobals = (globals: Globals): void => void (current = globals);

const live = <N extends Name>(name: N): Globals[N] =>
  new Proxy((() => undefined) as unknown as Globals[N] & object, {
    apply: (_, self, args) => Reflect.apply(current[name] as () => unknown, self, args),
    get: (_, member) => Reflect.get(current[name], member) as unknown,
  });

export const afterAll = live('afterAll');
export const afterEach = live('afterEach');
export const beforeAll = live('beforeAll');
export const beforeEach = live('beforeEach');
export const describe = live('describe');
export const expect = live('expect');
export const it = live('it');
