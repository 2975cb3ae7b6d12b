import { Body, Controller, Delete, Get, HttpCode, Put, Res } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller, fieldProblems, type Identity, Operation, RequiresPermission } from '@lanyard/service';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { bodySchema, bodyToken } from '../commands/body-schema.js';
import { MalformedRules } from '../errors.js';
import { AccessAccountsReader } from '../state/access-accounts.reader.js';
import { type PresubscriptionRule, PresubscriptionRuleSchema, PresubscriptionRulesSchema } from './rule.js';
import { Rules } from './rules.js';

const readRules = (body: unknown): PresubscriptionRule[] => {
  const read = PresubscriptionRulesSchema.safeParse(body);
  if (read.success) return read.data;
  throw new MalformedRules(fieldProblems(read.error.issues), bodyToken(read.error, body));
};

@ApiTags('Subscriptions')
@RequiresPermission('subscriptions')
@Controller('v2/subscriptions')
export class PresubscriptionsController {
  constructor(
    private readonly rules: Rules,
    private readonly accounts: AccessAccountsReader,
  ) {}

  @Get()
  @Operation({
    summary: 'List presubscription rules',
    description: 'Lists the rules of the calling key, in the order in which they were set.',
    ok: z.array(PresubscriptionRuleSchema),
  })
  get(@Caller() caller: Identity) {
    return this.rules.ofKey(caller.keyId);
  }

  @Put()
  @HttpCode(202)
  @ApiBody(bodySchema(PresubscriptionRulesSchema))
  @ApiOperation({
    summary: 'Replace the presubscription rules',
    description:
      'Replaces all rules of the calling key; an empty array removes them. Rules apply when a device next registers or updates its registration (spec §4.4).',
  })
  @ApiResponse({ status: 202, description: 'The rules are stored' })
  @ApiNoContentResponse({ description: 'The rules are stored, and the account has `presubscriptions_no_content` set' })
  @ApiResponse({ status: 400, description: 'MALFORMED_JSON_CONTENT, BAD_REQUEST' })
  async replace(
    @Caller() caller: Identity,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.rules.replace(caller.accountId, caller.keyId, readRules(body), caller);
    reply.code(this.accounts.get(caller.accountId)?.presubscriptionsNoContent ? 204 : 202);
  }

  @Delete()
  @Operation({
    summary: 'Delete the presubscription rules',
    description: 'Existing observations continue until the device registers or updates its registration.',
  })
  async remove(@Caller() caller: Identity) {
    await this.rules.replace(caller.accountId, caller.keyId, [], caller);
  }
}
