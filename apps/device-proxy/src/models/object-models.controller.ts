import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import {
  ApiListQuery,
  bodyText,
  Caller,
  type Identity,
  type ListEnvelope,
  listSchema,
  parseListQuery,
  type QueryParameters,
  RequiresPermission,
} from '@lanyard/service';
import {
  type ModelRecord,
  ModelRecordSchema,
  modelsPerAccountMax,
  modelsSpec,
  UploadedModels,
} from './uploaded-models.js';

/** Bodies below this are XML. */
export const modelsPrefix = '/v3/object-models';

@ApiTags('Object models')
@Controller('v3/object-models')
export class ObjectModelsController {
  constructor(@Inject(UploadedModels) private readonly models: UploadedModels) {}

  @RequiresPermission('devices.write')
  @Post()
  @ApiConsumes('application/xml')
  @ApiBody({ schema: { type: 'string' } })
  @ApiOperation({
    summary: 'Tell what an object of your devices means',
    description: `An object definition (OMA DDF XML, as the OMA registry publishes them). At most ${modelsPerAccountMax} for each account, one for each object id; objects 0 to 7 cannot be defined anew.`,
  })
  @ApiCreatedResponse({
    standardSchema: ModelRecordSchema,
    description: 'Holds from now on, on all replicas within a second',
  })
  @ApiResponse({ status: 400, description: 'Not an object definition' })
  @ApiResponse({ status: 409, description: 'The object has a definition: delete it first' })
  create(@Caller() caller: Identity, @Body() body: unknown): Promise<ModelRecord> {
    return this.models.create(caller, Buffer.isBuffer(body) ? bodyText(body) : '');
  }

  @RequiresPermission('devices.read')
  @Get()
  @ApiOperation({ summary: 'List the object definitions of the account; filters: object_id, name' })
  @ApiListQuery(modelsSpec, 'ObjectModelFilters')
  @ApiOkResponse({ standardSchema: listSchema(ModelRecordSchema, 'ObjectModelList') })
  list(@Caller() caller: Identity, @Query() query: QueryParameters): Promise<ListEnvelope<ModelRecord>> {
    return this.models.list(caller.accountId, parseListQuery(query, modelsSpec));
  }

  @RequiresPermission('devices.read')
  @Get(':id')
  @ApiOperation({ summary: 'Show an object definition' })
  @ApiOkResponse({ standardSchema: ModelRecordSchema })
  get(@Caller() caller: Identity, @Param('id') id: string): Promise<ModelRecord> {
    return this.models.get(caller.accountId, id);
  }

  @RequiresPermission('devices.write')
  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete an object definition; values that came before stay as they are' })
  @ApiNoContentResponse()
  remove(@Caller() caller: Identity, @Param('id') id: string): Promise<void> {
    return this.models.remove(caller, id);
  }
}
