import { Injectable } from '@nestjs/common';
import { ManagementResources } from '../operations/management-resources.js';
import { PermittedCalls } from './permitted-calls.js';

/** The answer to a request that succeeded. */
export interface SuccessAnswer {
  readonly code: 0;
  readonly message: string;
  readonly data: unknown;
}

/** Carries out what the guard let pass. */
@Injectable()
export class OperationDispatcher {
  constructor(
    private readonly calls: PermittedCalls,
    private readonly resources: ManagementResources,
  ) {}

  async answer(request: object): Promise<SuccessAnswer> {
    const { operation, input } = this.calls.get(request);
    const data = await operation.answer(this.resources, input);
    return { code: 0, message: 'success', data: data ?? null };
  }
}
