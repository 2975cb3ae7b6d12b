/**
 * The reference: the same Nest on the same Fastify, which answers with a constant of 900 bytes, or with one that it was
 * given under a name. A separate program.
 *
 *   node bench/rest/constant.ts   says `ready PORT`
 */
import 'reflect-metadata';
import { Body, Controller, Get, Module, Param, Put } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createFastify } from '@lanyard/service';

const answer = { object: 'constant', text: 'x'.repeat(900) };

const given = new Map<string, object>();

class ConstantController {
  read() {
    return answer;
  }

  readGiven(name: string) {
    return given.get(name);
  }

  give(name: string, constant: object) {
    given.set(name, constant);
  }
}
const { prototype } = ConstantController;
const route = (decorate: MethodDecorator, name: 'read' | 'readGiven' | 'give') =>
  decorate(prototype, name, Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor);
Param('name')(prototype, 'readGiven', 0);
Param('name')(prototype, 'give', 0);
Body()(prototype, 'give', 1);
route(Get(), 'read');
route(Get(':name'), 'readGiven');
route(Put(':name'), 'give');
Controller('constant')(ConstantController);

class ConstantModule {}
Module({ controllers: [ConstantController] })(ConstantModule);

const app = await NestFactory.create(ConstantModule, createFastify(), { logger: false, bodyParser: false });
await app.listen(0, '127.0.0.1');
process.stdout.write(`ready ${new URL(await app.getUrl()).port}\n`);
