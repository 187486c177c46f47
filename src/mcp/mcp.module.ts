import { Module } from '@nestjs/common';
import { McpController } from './mcp.controller.js';
import { McpService } from './mcp.service.js';
import { OwnCalls } from './own-calls.js';
import { Tools } from './tools.service.js';

/** The Model Context Protocol at /mcp: the operations as tools of agents. */
@Module({ controllers: [McpController], providers: [McpService, OwnCalls, Tools] })
export class McpModule {}
