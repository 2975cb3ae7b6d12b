/** What the KafkaUser of k8s/engines may do, as ACLs of Kafka: so that tests have no more rights than an installation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from './project.mjs';

/** Numbers of the protocol (org.apache.kafka.common.acl, .resource). @type {Record<string, number>} */
const resourceTypes = { topic: 2, group: 3, cluster: 4, transactionalId: 5 };
/** @type {Record<string, number>} */
const operations = {
  Read: 3,
  Write: 4,
  Create: 5,
  Delete: 6,
  Alter: 7,
  Describe: 8,
  DescribeConfigs: 10,
  AlterConfigs: 11,
};
const [literal, allow] = [3, 3];

/** @typedef {{ resource: { type: string, name?: string }, operations: string[] }} Rule */

/** For `createAcls`. @param {string} principal such as `User:lanyard` */
export const aclsOfKafkaUser = (principal) => {
  const documents = parseAllDocuments(readFileSync(join(root, 'k8s/engines/kafka.yaml'), 'utf8'));
  const user = documents.map((document) => document.toJS()).find(({ kind }) => kind === 'KafkaUser');
  /** @type {Rule[]} */
  const rules = user.spec.authorization.acls;
  return rules.flatMap(({ resource, operations: names }) =>
    names.map((name) => ({
      resourceType: resourceTypes[resource.type] ?? 0,
      resourceName: resource.name ?? 'kafka-cluster',
      resourcePatternType: literal,
      principal,
      host: '*',
      operation: operations[name] ?? 0,
      permissionType: allow,
    })),
  );
};
