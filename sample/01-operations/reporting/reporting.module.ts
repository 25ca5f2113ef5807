import { Module } from '@nestjs/common';
import { IncidentListener } from './incident.listener.js';
import { RunLogListener } from './run-log.listener.js';

@Module({ providers: [RunLogListener, IncidentListener] })
export class ReportingModule {}
