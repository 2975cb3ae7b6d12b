/** The permissions of the KafkaUser of k8s/infrastructure, as ACLs of Kafka, so that tests have no more rights than an installation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from './project.ts';

/** Numbers of the protocol (org.apache.kafka.common.acl, .resource). */
const resourceTypes: Record<string, number> = { topic: 2, group: 3, cluster: 4, transactionalId: 5 };
const operations: Record<string, number> = {
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

interface Rule {
  resource: { type: string; name?: string };
  operations: string[];
}

/**
 * For `createAcls`.
 * @param principal such as `User:lanyard`
 */
export const aclsOfKafkaUser = (principal: string) => {
  const documents = parseAllDocuments(readFileSync(join(root, 'k8s/infrastructure/kafka.yaml'), 'utf8'));
  const user = documents.map((document) => document.toJS()).find(({ kind }) => kind === 'KafkaUser');
  const rules: Rule[] = user.spec.authorization.acls;
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
