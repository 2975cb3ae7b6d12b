import {
  bodyStreamOf,
  Caller,
  ConditionalRequest,
  fieldProblems,
  type Identity,
  ListParameters,
  type ListRequest,
  listSchema,
  Operation,
  type RequestContext,
  RequiresPermission,
  ValidationFailed,
} from '@lanyard/service';
import { Controller, Delete, Get, Param, Post, Query, Req } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiForbiddenResponse,
  ApiPayloadTooLargeResponse,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { imageBytesMax } from '../limits.js';
import { Image, imageListSpec, NewImage } from './image-fields.js';
import { ImagesService } from './images.service.js';

/** Throws ValidationFailed. */
const readFields = (query: unknown): NewImage => {
  const read = NewImage.safeParse(query);
  if (read.success) return read.data;
  throw new ValidationFailed(fieldProblems(read.error.issues));
};

/** undefined: the client did not announce the length. */
const lengthOf = (request: FastifyRequest): number | undefined => {
  const length = request.headers['content-length'];
  return length === undefined ? undefined : Number(length);
};

const query = (name: string, schema: object, required = false): MethodDecorator & ClassDecorator =>
  ApiQuery({ name, required, schema });

@ApiTags('Firmware images')
@RequiresPermission('campaigns')
@Controller('v3/firmware-images')
export class ImagesController {
  constructor(private readonly images: ImagesService) {}

  @Get()
  @Operation({
    summary: 'List packages',
    description: 'Lists the firmware images and software packages that update campaigns can install.',
    ok: listSchema(Image, 'FirmwareImageList'),
  })
  list(@ListParameters(imageListSpec, 'FirmwareImageFilters') request: ListRequest) {
    return this.images.list(request.caller.accountId, request);
  }

  @Post()
  @ApiConsumes('application/octet-stream')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @query('name', { type: 'string', minLength: 1, maxLength: 128, example: 'Meter 2.1.0' }, true)
  @query('version', { type: 'string', minLength: 1, maxLength: 64, example: '2.1.0' }, true)
  @query('description', { type: 'string', maxLength: 2000 })
  @query('object', { type: 'integer', enum: [5, 9], default: 5 })
  @query('package_name', { type: 'string', minLength: 1, maxLength: 255 })
  @query('datafile_checksum', { type: 'string', pattern: '^[0-9A-Fa-f]{64}$' })
  @ApiPayloadTooLargeResponse({ description: `The package is larger than ${imageBytesMax} bytes` })
  @ApiForbiddenResponse({
    description: 'The key lacks the permission, or the account has used up its quota of packages or of bytes',
  })
  @Operation({
    summary: 'Upload a package',
    description:
      'The body is the package, byte for byte, at most 64 MiB. The response is sent when the package is stored durably. With `datafile_checksum`, an upload that arrives with another SHA-256 is rejected. Without `object`, the package is a firmware image (object 5), and `version` is what a device reports at `/3/0/3` once it runs the image. With `object=9`, it is a software package, and `package_name` and `version` are what a device reports at `/9/n/0` and `/9/n/1`.',
    created: Image,
    conflict: 'Another package of the account has this name, or the upload paused for too long',
  })
  upload(@Caller() caller: Identity, @Req() request: FastifyRequest, @Query() fields: unknown) {
    return this.images.upload(caller, readFields(fields), bodyStreamOf(request), lengthOf(request));
  }

  @Get(':id')
  @Operation({
    summary: 'Show a package',
    description: 'Includes the size and the checksum of the package. Only devices can download its bytes.',
    ok: Image,
  })
  get(@Caller() caller: Identity, @Param('id') id: string) {
    return this.images.get(caller.accountId, id);
  }

  @Delete(':id')
  @Operation({
    summary: 'Delete a package',
    description: 'Campaigns that have ended keep the name and the version of the package.',
    conflict: 'An update campaign that has not ended uses the package',
  })
  remove(@ConditionalRequest() { caller, id, ifMatch }: RequestContext) {
    return this.images.remove(caller, id, ifMatch);
  }
}
