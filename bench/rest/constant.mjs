/**
 * The reference: the same Nest on the same Fastify, which answers a constant of 900 bytes, or, by its name, one that it
 * was given. A program of its own.
 *
 *   node bench/rest/constant.mjs   says `listening PORT`
 */
import 'reflect-metadata';
import { Body, Controller, Get, Module, Param, Put } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createFastify } from '@lanyard/service';

const answer = { object: 'constant', text: 'x'.repeat(900) };

/** @type {Map<string, object>} */
const given = new Map();

class ConstantController {
  read() {
    return answer;
  }

  /** @param {string} name */
  readGiven(name) {
    return given.get(name);
  }

  /** @param {string} name @param {object} constant */
  give(name, constant) {
    given.set(name, constant);
  }
}
const { prototype } = ConstantController;
/** @param {MethodDecorator} decorate @param {'read' | 'readGiven' | 'give'} name */
const route = (decorate, name) =>
  decorate(prototype, name, /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(prototype, name)));
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
process.stdout.write(`listening ${new URL(await app.getUrl()).port}\n`);
