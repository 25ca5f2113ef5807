import { IsInt, Max, Min } from 'class-validator';

/** What operators can adjust about the purge; a schedule whose params do not fit fails its runs, and deletes nothing. */
export class PurgeParams {
  /** How long an expired session is kept, in seconds. */
  @IsInt()
  @Min(0)
  keepForSeconds = 0;

  /** Rows deleted in one statement: small enough not to hold locks for long. */
  @IsInt()
  @Min(1)
  @Max(10_000)
  batchSize = 500;
}
