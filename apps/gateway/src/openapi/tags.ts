import type { DocumentBuilder } from '@nestjs/swagger';

/** Families of operations in the order of the page, whoever serves them. */
const tags = {
  Devices: 'The device directory (spec §2.2, §4.1): records, filters, export',
  'Device groups': 'Named sets of devices (spec §2.1)',
  'Device queries': 'Filters of the device list with a name',
  Imports: 'Many devices from one CSV table',
  Suspension: 'Devices out of service and back (spec §3.1), one or many, and the categories of reasons',
  Credentials: 'With what devices prove their name',
  'Trusted certificates': 'Issuers of device certificates that the account trusts',
  Endpoints: 'Registered devices and their resources (spec §4.3)',
  Commands: 'Requests to devices, their results and their history (spec §4.3)',
  Subscriptions: 'Values that devices report by themselves (spec §4.4)',
  'Object models': 'What objects of your own mean',
  'Device state snapshot': 'Last reported and desired value of every resource (spec §2.4)',
  'Device events': 'The device event log (spec §2.5, §6.2)',
  Explain: 'What the services know of one command, device or event, in the order of time',
  Notifications: 'Channels on which events come to an application (spec §4.5, §7)',
  'API keys': 'Keys of the account (spec §2.11, §5)',
  Applications: 'Applications and their access keys: the newer credential',
  'Key groups': 'What keys and applications may do; the interface calls them policy groups',
  Accounts: 'Tenants of the installation, their quotas and use',
};

export const withTags = (builder: DocumentBuilder): DocumentBuilder =>
  Object.entries(tags).reduce((all, [name, description]) => all.addTag(name, description), builder);
