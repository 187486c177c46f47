import { Body, Controller, Delete, Get, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../auth/public.decorator.js';
import { CONFIG, type Config } from '../config/config.module.js';
import { Answer } from '../http/answer.js';
import { contextOf } from '../http/context.decorator.js';
import { ownOrigin } from '../http/own-origin.js';
import { McpGuard, type McpRequest } from './mcp.guard.js';
import { McpService } from './mcp.service.js';

/**
 * The Model Context Protocol over Streamable HTTP, without sessions (docs/agents.md). Public to the global guards, which
 * would charge a call: McpGuard checks the token, and the operation that a tool calls is charged.
 */
@Controller()
@Public()
@SkipThrottle()
export class McpController {
  constructor(
    private readonly mcp: McpService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The operation that a tool calls has a budget of its own, which may be longer; hence `commit`. */
  @Post('mcp')
  @UseGuards(McpGuard)
  message(
    @Body() body: unknown,
    @Req() request: McpRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    contextOf(request).commit();
    return this.mcp.answer(body, request, reply);
  }

  /** There is no stream from the server. */
  @Get('mcp')
  stream(): Answer {
    return notAllowed();
  }

  /** There is no session to end. */
  @Delete('mcp')
  session(): Answer {
    return notAllowed();
  }

  /** RFC 9728: which authorization server issues the tokens of /mcp. */
  @Get(['.well-known/oauth-protected-resource', '.well-known/oauth-protected-resource/mcp'])
  metadata(@Req() request: FastifyRequest): Answer {
    const { origin, caching } = ownOrigin(request, this.config);
    return Answer.json(200, metadataOf(origin, this.config.environment), { 'cache-control': caching });
  }
}

function metadataOf(origin: string, environment: string): object {
  return {
    resource: `${origin}/mcp`,
    authorization_servers: [origin],
    bearer_methods_supported: ['header'],
    resource_name: `Forecourt (${environment})`,
    resource_documentation: `${origin}/docs/agents`,
  };
}

function notAllowed(): Answer {
  const error = { code: -32_000, message: 'Only POST: this server has no sessions and sends no events.' };
  return new Answer(405, JSON.stringify({ jsonrpc: '2.0', error, id: null }), { allow: 'POST' });
}
