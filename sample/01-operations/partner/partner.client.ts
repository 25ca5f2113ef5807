import { Injectable } from '@nestjs/common';
import { plainToInstance, Type } from 'class-transformer';
import { IsDate, IsInt, IsString, ValidateNested, validateOrReject } from 'class-validator';
import { PartnerSimulator } from './partner.simulator.js';

export class CustomerRecord {
  @IsInt()
  id!: number;

  @IsString()
  name!: string;

  @Type(() => Date)
  @IsDate()
  changedAt!: Date;
}

class CustomerChanges {
  @ValidateNested({ each: true })
  @Type(() => CustomerRecord)
  customers!: CustomerRecord[];

  /** Pass it as `since` next time. */
  @Type(() => Date)
  @IsDate()
  readThrough!: Date;
}

class CustomerPage {
  @ValidateNested({ each: true })
  @Type(() => CustomerRecord)
  customers!: CustomerRecord[];

  /** How many pages of this size there are. */
  @IsInt()
  pages!: number;
}

/** The partner's HTTP API. What is aborted by the signal, turned away or not understood is thrown. */
@Injectable()
export class PartnerClient {
  constructor(private readonly partner: PartnerSimulator) {}

  async changesSince(since: Date, signal: AbortSignal): Promise<CustomerChanges> {
    return this.get(`/changes?since=${since.getTime()}`, CustomerChanges, signal);
  }

  async customers(page: number, size: number, signal: AbortSignal): Promise<CustomerPage> {
    return this.get(`/customers?page=${page}&size=${size}`, CustomerPage, signal);
  }

  private async get<Answer extends object>(
    path: string,
    Answer: new () => Answer,
    signal: AbortSignal,
  ): Promise<Answer> {
    const response = await fetch(new URL(path, this.partner.url), { signal });
    if (!response.ok) {
      throw new Error(`The partner answered ${response.status} ${response.statusText} to GET ${path}.`);
    }
    const answer = plainToInstance(Answer, await response.json());
    await validateOrReject(answer);
    return answer;
  }
}
