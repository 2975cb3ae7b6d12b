import {
  bodyStreamOf,
  CurrentRequest,
  ListParameters,
  type ListRequest,
  listSchema,
  type ListSpec,
  Operation,
  type RequestContext,
  RequiresPermission,
  ValidationFailed,
} from '@lanyard/service';
import { Controller, Delete, Get, HttpCode, Post, Query, Req, StreamableFile } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiConflictResponse,
  ApiConsumes,
  ApiGatewayTimeoutResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { notBlank } from '../devices/device-fields.js';
import { completedImportDays } from './import-retention.js';
import { DeviceImport } from './import-record.js';
import { ImportsService, openImportsMax } from './imports.service.js';

const nameLengthMax = 128;

const nameSchema = notBlank(z.string().max(nameLengthMax)).default('');

/** Throws ValidationFailed. */
const readName = (given: unknown): string => {
  const read = nameSchema.safeParse(given);
  if (read.success) return read.data;
  throw new ValidationFailed(read.error.issues.map(({ message }) => ({ name: 'name', message })));
};

const importListSpec: ListSpec = { filters: {} };

@ApiTags('Imports')
@Controller('v3/device-imports')
export class ImportsController {
  constructor(private readonly imports: ImportsService) {}

  @RequiresPermission('devices.write')
  @Post()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Import devices from CSV',
    description:
      'The first line names the columns: fields of a new device, or `custom_attributes__<key>`. Empty rows are skipped. All other rows are validated and created in the background; poll the import to follow its progress.',
  })
  @ApiConsumes('text/csv')
  @ApiBody({ schema: { type: 'string' } })
  @ApiQuery({ name: 'name', required: false, schema: { type: 'string', maxLength: nameLengthMax } })
  @ApiAcceptedResponse({ standardSchema: DeviceImport })
  @ApiConflictResponse({
    description: `The account already has ${openImportsMax} incomplete imports, or this import was deleted during the upload`,
  })
  take(@CurrentRequest() { caller }: RequestContext, @Req() request: FastifyRequest, @Query('name') name?: unknown) {
    return this.imports.storeTable(caller, readName(name), bodyStreamOf(request));
  }

  @RequiresPermission('devices.read')
  @Get()
  @Operation({
    summary: 'List imports',
    description: 'Lists the imports of the account, oldest first. A completed import is deleted after 30 days.',
    ok: listSchema(DeviceImport, 'DeviceImportList'),
  })
  list(@ListParameters(importListSpec) query: ListRequest) {
    return this.imports.list(query.caller.accountId, query);
  }

  @RequiresPermission('devices.read')
  @Get(':id')
  @Operation({
    summary: 'Show the progress of an import',
    description:
      'Poll it until `status` is `completed`. When `errors_count` is not 0, `errors_report_file` names the report.',
    ok: DeviceImport,
  })
  get(@CurrentRequest() { caller, id }: RequestContext) {
    return this.imports.get(caller.accountId, id);
  }

  @RequiresPermission('devices.read')
  @Get(':id/errors')
  @ApiOperation({
    summary: 'Download the error report of an import',
    description: `Row numbers count the rows of the table, including empty ones; the header is row 1. A row whose cells contain line ends counts once. A completed import is deleted after ${completedImportDays} days, with its report. The devices are kept.`,
  })
  @ApiProduces('text/csv')
  @ApiOkResponse({ content: { 'text/csv': { schema: { type: 'string' } } } })
  @ApiGatewayTimeoutResponse()
  async errors(@CurrentRequest() { caller, id }: RequestContext) {
    const found = await this.imports.get(caller.accountId, id);
    const report = await this.imports.errors(caller.accountId, found.id);
    return new StreamableFile(report, { type: 'text/csv; charset=utf-8' });
  }

  @RequiresPermission('devices.write')
  @Delete(':id')
  @Operation({
    summary: 'Delete an import',
    description: 'Stops the import and deletes its report. Devices that it has already created are kept.',
  })
  @ApiGatewayTimeoutResponse()
  remove(@CurrentRequest() { caller, id }: RequestContext) {
    return this.imports.remove(caller, id);
  }
}
