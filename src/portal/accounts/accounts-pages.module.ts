import { Module } from '@nestjs/common';

/** Pages of the folder accounts/. */
@Module({})
export class AccountsPagesModule {}
