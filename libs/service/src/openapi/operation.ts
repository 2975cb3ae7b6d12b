import { applyDecorators, HttpCode, type StreamableFile } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import type { z } from 'zod';
import type { JsonText } from '../http/json-text.js';

export interface OperationOptions<T> {
  summary: string;
  description: string;
  /** Schema of a 200. Without `ok` and `created`, the response is 204. */
  ok?: z.ZodType<T>;
  /** Schema of a 201. */
  created?: z.ZodType<T>;
  /** When the response is 409. */
  conflict?: string;
  /** When the response is 404, where there is more to say than that nothing was found. */
  notFound?: string;
}

/** Decorates handlers that return a `T`, or its text, as a whole or in parts. */
type HandlerDecorator<T> = <H extends (...given: never[]) => T | Promise<T | StreamableFile> | Promise<JsonText>>(
  controller: object,
  name: string | symbol,
  handler: TypedPropertyDescriptor<H>,
) => void;

const success = (ok?: z.ZodType, created?: z.ZodType): MethodDecorator[] => {
  if (ok) return [HttpCode(200), ApiOkResponse({ standardSchema: ok })];
  return created
    ? [HttpCode(201), ApiCreatedResponse({ standardSchema: created })]
    : [HttpCode(204), ApiNoContentResponse()];
};

/** Documents an operation with its responses, which the handler has to return, and sets the status of its success. */
export const Operation = <T = void>({
  ok,
  created,
  conflict,
  notFound,
  ...operation
}: OperationOptions<T>): HandlerDecorator<T> =>
  applyDecorators(
    ApiOperation(operation),
    ...success(ok, created),
    ...(conflict ? [ApiConflictResponse({ description: conflict })] : []),
    ...(notFound ? [ApiNotFoundResponse({ description: notFound })] : []),
  );
