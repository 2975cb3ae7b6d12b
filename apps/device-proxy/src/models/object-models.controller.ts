import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiCreatedResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  bodyText,
  Caller,
  type Identity,
  ListParameters,
  type ListRequest,
  listSchema,
  Operation,
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

const exampleModel =
  '<LWM2M><Object ObjectType="MODefinition"><Name>Valve</Name><ObjectID>26300</ObjectID><ObjectVersion>1.0</ObjectVersion>' +
  '<MultipleInstances>Multiple</MultipleInstances><Mandatory>Optional</Mandatory><Resources><Item ID="1"><Name>Position</Name>' +
  '<Operations>RW</Operations><MultipleInstances>Single</MultipleInstances><Mandatory>Mandatory</Mandatory><Type>Integer</Type>' +
  '</Item></Resources></Object></LWM2M>';

@ApiTags('Object models')
@Controller('v3/object-models')
export class ObjectModelsController {
  constructor(private readonly models: UploadedModels) {}

  @RequiresPermission('devices.write')
  @Post()
  // Text comes first: for an XML body, /docs would generate different XML from the example.
  @ApiConsumes('text/plain', 'application/xml')
  @ApiBody({ schema: { type: 'string', example: exampleModel } })
  @ApiOperation({
    summary: 'Upload an object definition',
    description: `The body is an object definition: OMA DDF XML, as the OMA registry publishes it. An account may have at most ${modelsPerAccountMax} definitions, one for each object id and version; objects 0 to 7 cannot be redefined. The version that a device names in the link of the object (\`ver\`, default 1.0) selects the definition; if that version has none, the closest one of the same major version is used.`,
  })
  @ApiCreatedResponse({
    standardSchema: ModelRecordSchema,
    description: 'Takes effect on all replicas within a second',
  })
  @ApiResponse({ status: 400, description: 'The body is not an object definition' })
  @ApiResponse({
    status: 409,
    description: 'This version of the object is already defined: delete the definition first',
  })
  create(@Caller() caller: Identity, @Body() body: unknown): Promise<ModelRecord> {
    return this.models.create(caller, Buffer.isBuffer(body) ? bodyText(body) : '');
  }

  @RequiresPermission('devices.read')
  @Get()
  @Operation({
    summary: 'List object definitions',
    description:
      'Lists the definitions that the account has uploaded; those of the OMA registry that Lanyard ships are not listed. Filter by `object_id`, `version` or `name`.',
    ok: listSchema(ModelRecordSchema, 'ObjectModelList'),
  })
  list(@ListParameters(modelsSpec, 'ObjectModelFilters') query: ListRequest) {
    return this.models.list(query.caller.accountId, query);
  }

  @RequiresPermission('devices.read')
  @Get(':id')
  @Operation({
    summary: 'Show an object definition',
    description: 'Includes its resources, with their types and the operations that they allow.',
    ok: ModelRecordSchema,
  })
  get(@Caller() caller: Identity, @Param('id') id: string) {
    return this.models.get(caller.accountId, id);
  }

  @RequiresPermission('devices.write')
  @Delete(':id')
  @Operation({
    summary: 'Delete an object definition',
    description:
      'Stored values stay. From then on, they and later values are shown without the names, types and decoded values of this definition.',
  })
  remove(@Caller() caller: Identity, @Param('id') id: string) {
    return this.models.remove(caller, id);
  }
}
