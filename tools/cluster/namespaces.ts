/** The machines of the cluster: network, mount and process namespaces, with a bridge between them and one link to this machine. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { commandLine, isAlive, isProcess, kill, launch } from '../lanyard/processes.ts';
import { outputOf } from '../lanyard/programs.ts';
import { sleep, Stop } from '../lanyard/project.ts';
import { podNetwork, type Member, type Plan } from './plan.ts';

const markerOf = ({ folder }: Member) => `LANYARD_CLUSTER_MEMBER=${folder}`;

/** Folders that each member has for itself: their content is gone with its namespace. */
const privateFolders = ['/run', '/var/lib', '/var/log'];

const startWithinMs = 10_000;

const childOf = (pid: number) => {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return Number(child) || undefined;
  } catch {
    return undefined;
  }
};

/**
 * A running member. When its first process ends, the kernel ends all its other processes and removes its links, mounts and rules.
 */
export class Namespace {
  member: Member;
  /** Pid of `unshare`, by which the member is found again. */
  pid: number;

  constructor(member: Member, pid: number) {
    this.member = member;
    this.pid = pid;
  }

  static async start(member: Member) {
    mkdirSync(member.folder, { recursive: true });
    // A process that ignores SIGCHLD leaves no zombies, even of children that it inherits.
    const wait = ['env', '--ignore-signal=CHLD', markerOf(member), 'sleep', 'infinity'];
    const namespace = new Namespace(
      member,
      launch({
        command: 'unshare',
        args: ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', ...wait],
        logFile: `${member.folder}/namespace.log`,
      }),
    );
    try {
      await namespace.ready();
      namespace.mountPrivately();
    } catch (error) {
      // The cluster knows it only once it has started.
      await namespace.stop();
      throw error;
    }
    return namespace;
  }

  private async ready() {
    for (const end = Date.now() + startWithinMs; ; await sleep(20)) {
      const { init } = this;
      // `unshare` and `env` are replaced by `sleep`, whose command line is in theirs too, once everything is mounted.
      if (init && commandLine(init).startsWith('sleep infinity')) return;
      if (!this.isAlive || Date.now() > end)
        throw new Stop(`${this.member.name} could not get namespaces: see ${this.member.folder}/namespace.log`);
    }
  }

  /** Pid of its first process, as this machine counts. */
  get init() {
    return childOf(this.pid);
  }

  get isAlive() {
    return isProcess(this.pid, markerOf(this.member));
  }

  enter(args: readonly string[]) {
    return ['--target', String(this.init), '--net', '--mount', '--pid', '--', ...args];
  }

  run(program: string, ...args: string[]) {
    return outputOf('nsenter', this.enter([program, ...args]));
  }

  /** Runs `ip` in its network, with the files and processes of this machine. */
  ip(...args: string[]) {
    return outputOf('nsenter', ['--target', String(this.init), '--net', '--', 'ip', ...args]);
  }

  /** Starts a program, and restarts it when it ends, as systemd would. Returns the pid of the process that waits for it. */
  launch(name: string, args: readonly string[], env: Record<string, string> = {}) {
    return launch({
      command: 'nsenter',
      args: this.enter(['sh', '-c', 'while :; do "$0" "$@"; sleep 2; done', ...args]),
      env: { ...process.env, ...env } as Record<string, string>,
      logFile: `${this.member.folder}/logs/${name}.log`,
    });
  }

  private mountPrivately() {
    for (const folder of privateFolders) this.run('mount', '-t', 'tmpfs', 'tmpfs', folder);
    // Programs would mistake an empty cgroup v2 beside v1 for the one in use.
    spawnSync('nsenter', this.enter(['umount', '/sys/fs/cgroup/unified']), { stdio: 'ignore' });
  }

  /** Ends the member at once, with everything that runs in it. */
  async stop() {
    const { pid, init } = this;
    // After this machine was restarted, the pid on record may be that of any process.
    if (!this.isAlive) return;
    if (init) kill(init, 'SIGKILL');
    for (const end = Date.now() + startWithinMs; isAlive(pid) && Date.now() < end;) await sleep(20);
    if (this.isAlive) kill(pid, 'SIGKILL');
  }
}

/** The bridge is in the namespace of the control plane. */
const bridge = 'nodes';

export const hasLink = ({ link }: Plan) => outputOf('ip', ['-o', 'link']).includes(` ${link}@`);

/** Removes the link now; the kernel would do so only some time after the namespace has ended. */
export const disconnectHost = (plan: Plan) => {
  if (hasLink(plan)) spawnSync('ip', ['link', 'delete', plan.link], { stdio: 'ignore' });
};

/** Creates the link between the control plane and this machine. */
export const connectHost = ({ link, host, control: { address } }: Plan, control: Namespace) => {
  control.ip('link', 'set', 'lo', 'up');
  control.ip('link', 'add', bridge, 'type', 'bridge');
  control.ip('addr', 'add', `${address}/24`, 'dev', bridge);
  control.ip('link', 'set', bridge, 'up');
  outputOf('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'host', 'netns', String(control.init)]);
  control.ip('link', 'set', 'host', 'master', bridge, 'up');
  outputOf('ip', ['addr', 'add', `${host}/24`, 'dev', link]);
  outputOf('ip', ['link', 'set', link, 'up']);
  control.ip('route', 'add', 'default', 'via', host);
};

const routePods = (of: Namespace, { pods = '', address }: Member) => of.ip('route', 'replace', pods, 'via', address);

/** Connects a node that joins: creates its link, and the routes between its pods and those of other nodes. */
export const connectNode = (plan: Plan, control: Namespace, node: Namespace) => {
  const { name, address, pods = '' } = node.member;
  control.ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(node.init));
  control.ip('link', 'set', name, 'master', bridge, 'up');
  node.ip('link', 'set', 'lo', 'up');
  node.ip('addr', 'add', `${address}/24`, 'dev', 'eth0');
  node.ip('link', 'set', 'eth0', 'up');
  node.ip('route', 'add', 'default', 'via', plan.host);
  node.run('sysctl', '-qw', 'net.ipv4.ip_forward=1');
  routePods(control, node.member);
  for (const other of plan.nodes) if (other.name !== name) routePods(node, other);
  // Among each other, pods use their own addresses; elsewhere, that of their node.
  const outside = ['-s', pods, '!', '-d', podNetwork, '-j', 'MASQUERADE'];
  node.run('iptables', '-t', 'nat', '-A', 'POSTROUTING', ...outside);
};
