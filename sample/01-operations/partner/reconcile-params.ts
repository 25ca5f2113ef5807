import { IsInt, Max, Min } from 'class-validator';

export class ReconcileParams {
  /** Customers fetched with one request. */
  @IsInt()
  @Min(10)
  @Max(500)
  pageSize = 25;
}
