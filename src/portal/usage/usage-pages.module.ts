import { Module } from '@nestjs/common';

/** Pages of the folder usage/. */
@Module({})
export class UsagePagesModule {}
