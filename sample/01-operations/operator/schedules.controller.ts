import {
  BadRequestException,
  Controller,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Query,
  UseFilters,
} from '@nestjs/common';
import { type ManualFireReceipt, type Run, type Schedule, ScheduleManager } from 'nestjs-cron-store';
import { CronStoreErrorFilter } from './cron-store-error.filter.js';

/** A schedule as an operator wants to see it. */
interface ScheduleLine {
  readonly name: string;
  readonly state: Schedule['state'];
  readonly lastFireAt: string | null;
  readonly nextFireAt: string | null;
  readonly changedBy: string;
}

/**
 * What operators do. Changes ask for the header `X-Operator`: it names who is behind a change, and a page of another
 * site cannot send it without being asked for permission first.
 */
@Controller('schedules')
@UseFilters(CronStoreErrorFilter)
export class SchedulesController {
  constructor(private readonly schedules: ScheduleManager) {}

  @Get()
  async list(): Promise<ScheduleLine[]> {
    return (await this.schedules.list()).map(toLine);
  }

  @Get(':name/runs')
  async runs(@Param('name') scheduleName: string, @Query('failed') failed?: string): Promise<Run[]> {
    return this.schedules.listRuns({
      scheduleName,
      limit: 20,
      ...(failed === undefined ? {} : { statuses: ['failed', 'abandoned'] }),
    });
  }

  @Post(':name/fire')
  @HttpCode(202)
  async fire(
    @Param('name') name: string,
    @Headers('x-operator') operator?: string,
  ): Promise<ManualFireReceipt> {
    return this.schedules.triggerNow(name, { actor: named(operator) });
  }

  @Post(':name/pause')
  @HttpCode(200)
  async pause(@Param('name') name: string, @Headers('x-operator') operator?: string): Promise<ScheduleLine> {
    return toLine(await this.schedules.pause(name, { actor: named(operator) }));
  }

  @Post(':name/resume')
  @HttpCode(200)
  async resume(@Param('name') name: string, @Headers('x-operator') operator?: string): Promise<ScheduleLine> {
    return toLine(await this.schedules.resume(name, { actor: named(operator) }));
  }
}

function named(operator: string | undefined): string {
  if (operator === undefined || operator === '') {
    throw new BadRequestException('Say who you are in the header X-Operator.');
  }
  return operator;
}

function toLine({ name, state, lastFireAtUnixMs, nextFireAtUnixMs, updatedBy }: Schedule): ScheduleLine {
  return {
    name,
    state,
    lastFireAt: toIso(lastFireAtUnixMs),
    nextFireAt: toIso(nextFireAtUnixMs),
    changedBy: updatedBy,
  };
}

function toIso(unixMs: number | undefined): string | null {
  return unixMs === undefined ? null : new Date(unixMs).toISOString();
}
