/**
 * The reference: the same Nest on the same Fastify, with one route that answers a constant. A program of its own.
 *
 *   node bench/rest/constant.mjs   says `listening PORT`
 */
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createFastify } from '@lanyard/service';

const answer = { object: 'constant', text: 'x'.repeat(900) };

class ConstantController {
  read() {
    return answer;
  }
}
Get()(
  ConstantController.prototype,
  'read',
  /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(ConstantController.prototype, 'read')),
);
Controller('constant')(ConstantController);

class ConstantModule {}
Module({ controllers: [ConstantController] })(ConstantModule);

const app = await NestFactory.create(ConstantModule, createFastify(), { logger: false, bodyParser: false });
await app.listen(0, '127.0.0.1');
process.stdout.write(`listening ${new URL(await app.getUrl()).port}\n`);
