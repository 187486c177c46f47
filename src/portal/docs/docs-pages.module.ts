import { Module } from '@nestjs/common';

/** Pages of the folder docs/. */
@Module({})
export class DocsPagesModule {}
