import { Injectable } from '@nestjs/common';
import { ManagementServices } from '../operations/management-services.js';
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
    private readonly services: ManagementServices,
  ) {}

  async answer(request: object): Promise<SuccessAnswer> {
    const { operation, input } = this.calls.get(request);
    const data = await operation.answer(this.services, input);
    return { code: 0, message: 'success', data: data ?? null };
  }
}
