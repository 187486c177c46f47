import { Module } from '@nestjs/common';

/** Pages of the folder applications/. */
@Module({})
export class ApplicationsPagesModule {}
