import { applyDecorators, HttpCode } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import type { z } from 'zod';

export interface OperationOptions {
  summary: string;
  description: string;
  /** Schema of a 200. Without `ok` and `created`, the answer is 204. */
  ok?: z.ZodType;
  /** Schema of a 201. */
  created?: z.ZodType;
  /** When the answer is 409. */
  conflict?: string;
  /** When the answer is 404, where there is more to say than that nothing was found. */
  notFound?: string;
}

const success = (ok?: z.ZodType, created?: z.ZodType): MethodDecorator[] => {
  if (ok) return [HttpCode(200), ApiOkResponse({ standardSchema: ok })];
  return created
    ? [HttpCode(201), ApiCreatedResponse({ standardSchema: created })]
    : [HttpCode(204), ApiNoContentResponse()];
};

/** Documents an operation with its answers, and sets the status of its success. */
export const Operation = ({ ok, created, conflict, notFound, ...operation }: OperationOptions): MethodDecorator =>
  applyDecorators(
    ApiOperation(operation),
    ...success(ok, created),
    ...(conflict ? [ApiConflictResponse({ description: conflict })] : []),
    ...(notFound ? [ApiNotFoundResponse({ description: notFound })] : []),
  );
