import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseVitals } from './database-vitals.entity.js';
import { RecordVitalsHandler } from './record-vitals.handler.js';

@Module({ imports: [TypeOrmModule.forFeature([DatabaseVitals])], providers: [RecordVitalsHandler] })
export class VitalsModule {}
