import type { DocumentBuilder } from '@nestjs/swagger';

/** Families of operations in the order of the page, no matter which service serves them. */
const tags = {
  Devices: 'The device directory (spec §2.2, §4.1): records, filters, export',
  'Device groups': 'Named sets of devices (spec §2.1)',
  'Device queries': 'Named filters of the device list',
  Imports: 'Creating many devices from one CSV table',
  Suspension: 'Suspending and resuming devices (spec §3.1), one or many, and the categories of reasons',
  Credentials: 'Keys and certificates with which devices authenticate',
  'Bootstrap profiles': 'Server accounts that devices get when they bootstrap',
  'Trusted certificates': 'Certificate authorities that the account trusts to issue device certificates',
  Endpoints: 'Registered devices and their resources (spec §4.3)',
  Commands: 'Requests to devices, their results and their history (spec §4.3)',
  Subscriptions: 'Values that devices report when they change (spec §4.4)',
  'Firmware images': 'Firmware and software packages that update campaigns install',
  'Update campaigns': 'Installing a package on many devices: selection, window, progress',
  'Object models': 'Definitions of your own LwM2M objects',
  'Device state snapshot': 'Last reported and desired value of every resource (spec §2.4)',
  'Device events': 'The device event log (spec §2.5, §6.2)',
  Explain: 'The history of one command, device or event from all services, in chronological order',
  Statistics: 'The number of devices in each state, and counts of registrations, values and commands over time',
  Attention: 'Problems that need the attention of an operator',
  Notifications: 'Channels that deliver events to an application (spec §4.5, §7)',
  Session: 'Signing in with a browser',
  'API keys': 'Keys of the account (spec §2.11, §5)',
  Applications: 'Applications and their access keys, the newer kind of credential',
  'Key groups': 'What keys and applications may do; the paths call them policy groups',
  Users: 'People who sign in with the OpenID provider',
  Accounts: 'Tenants of the installation, their quotas and usage',
};

export const withTags = (builder: DocumentBuilder): DocumentBuilder =>
  Object.entries(tags).reduce((all, [name, description]) => all.addTag(name, description), builder);
