/**
 * The reference: Nest on Fastify with one route, and the connections that every service holds open: a producer, a consumer of
 * one topic, a connection to PostgreSQL and one to Redis. It does nothing else.
 *
 *   node bench/idle/bare-service.ts BROKERS TOPIC DATABASE_URL REDIS_URL   says `ready` when it has joined its group
 */
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { KafkaConnection, KafkaProducer, replaceParts } from '@lanyard/kafka';
import { createFastify, createLogger } from '@lanyard/service';
import { Redis } from 'ioredis';
import pg from 'pg';

const [brokers = '', topic = '', databaseUrl, redisUrl = ''] = process.argv.slice(2);

class HealthController {
  read() {
    return { status: 'ok' };
  }
}
// Decorators are called as functions, because Node runs this file as it is, and does not compile decorators.
const { prototype } = HealthController;
Get()(prototype, 'read', Object.getOwnPropertyDescriptor(prototype, 'read') as PropertyDescriptor);
Controller('health')(HealthController);
class BareModule {}
Module({ controllers: [HealthController] })(BareModule);

const app = await NestFactory.create(BareModule, createFastify(), { logger: false, bodyParser: false });
await app.listen(0, '127.0.0.1');
replaceParts();
const logger = createLogger({ app: 'bench', replicaId: 'bench', level: 'error' });
const connection = new KafkaConnection({ brokers: brokers.split(','), clientId: 'bare', logger });
const consumer = connection.kafka.consumer({ groupId: `bare-${process.pid}`, maxWaitTimeInMs: 5_000 });
await Promise.all([
  new KafkaProducer(connection, { source: 'bench' }).connect(),
  new pg.Client({ connectionString: databaseUrl }).connect(),
  new Redis(redisUrl).ping(),
  consumer.connect(),
]);
await consumer.subscribe({ topic });
const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
await consumer.run({ eachBatch: async () => undefined });
await joined;
process.stdout.write('ready\n');
