import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { ExpireSessionsHandler } from './expire-sessions.handler.js';
import { FindGrowthHandler } from './find-growth.handler.js';
import { MeasureTablesHandler } from './measure-tables.handler.js';

@Module({
  imports: [AuthModule],
  providers: [ExpireSessionsHandler, MeasureTablesHandler, FindGrowthHandler],
})
export class WorkModule {}
