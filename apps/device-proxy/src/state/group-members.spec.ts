import { describe, expect, it } from '@jest/globals';
import { GroupMembers } from './group-members.js';

describe('the devices in groups', () => {
  it('are those that have joined and not left, each once', () => {
    const members = new GroupMembers();
    members.move('a', ['north', 'south']);
    members.move('b', ['north']);
    members.move('c', ['east']);
    expect(members.devicesIn(['north', 'south', 'nowhere'])).toEqual(['a', 'b']);
    members.move('a', ['east', 'south'], ['north', 'south']);
    members.move('b', undefined, ['north']);
    expect(members.devicesIn(['north'])).toEqual([]);
    expect(members.devicesIn(['south', 'east'])).toEqual(['a', 'c']);
  });
});
