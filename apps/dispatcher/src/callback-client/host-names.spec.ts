import { describe, expect, it } from '@jest/globals';
import { candidates, hostsIn, searchIn } from './host-names.js';

describe('names of hosts', () => {
  it('of the hosts file: all lines that have the name, whatever its case, and no comments', () => {
    const hosts =
      '# 10.0.0.9 app\n127.0.0.1 localhost\n10.0.0.1\tweb App # app2\n::1 app\nfe80::1%lo0 app\nnonsense app\n';
    expect(hostsIn(hosts, 'app')).toEqual([
      { address: '10.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(hostsIn(hosts, 'app2')).toEqual([]);
  });

  it('of resolv.conf: the last search list, and how many dots make a name that is asked for as it is', () => {
    const pod = 'search default.svc.cluster.local svc.cluster.local\nnameserver 10.96.0.10\noptions edns0 ndots:5\n';
    expect(searchIn(pod)).toEqual({ domains: ['default.svc.cluster.local', 'svc.cluster.local'], ndots: 5 });
    expect(searchIn('; search old\ndomain first\nsearch second\n')).toEqual({ domains: ['second'], ndots: 1 });
    expect(searchIn('search .\noptions ndots:99')).toEqual({ domains: [], ndots: 15 });
    expect(searchIn('')).toEqual({ domains: [], ndots: 1 });
  });

  it.each<[string, number, string[]]>([
    ['app', 1, ['app.a', 'app.b', 'app']],
    ['app.team', 1, ['app.team', 'app.team.a', 'app.team.b']],
    ['app.team', 5, ['app.team.a', 'app.team.b', 'app.team']],
    ['app.example.com.', 5, ['app.example.com.']],
  ])('%s with ndots:%i is asked for as %j', (name, ndots, asked) => {
    expect(candidates(name, { domains: ['a', 'b'], ndots })).toEqual(asked);
  });
});
