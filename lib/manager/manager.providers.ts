import { AuditTrail } from './audit-trail.js';
import { Backfills } from './backfills.js';
import { DefaultScheduleSeeder } from './default-schedule.seeder.js';
import { Environments } from './environments.js';
import { ExpiredPauses } from './expired-pauses.js';
import { Holds } from './holds.js';
import { JobCoverage } from './job-coverage.js';
import { LiveJobs } from './live-jobs.js';
import { ManualFires } from './manual-fires.js';
import { Mutations } from './mutations.js';
import { RunCancellation } from './run-cancellation.js';
import { ScheduleEditor } from './schedule-editor.js';
import { ScheduleReader } from './schedule-reader.js';
import { StoreReader } from './store-reader.js';
import { UpcomingFiresReader } from './upcoming-fires.js';
import { ZoneRulesKeeper } from './zone-rules.keeper.js';

/** What the module provides of this room. */
export const MANAGER_PROVIDERS = [
  StoreReader,
  AuditTrail,
  Mutations,
  LiveJobs,
  ScheduleEditor,
  ManualFires,
  RunCancellation,
  Backfills,
  Holds,
  Environments,
  ScheduleReader,
  UpcomingFiresReader,
  ExpiredPauses,
  ZoneRulesKeeper,
  DefaultScheduleSeeder,
  JobCoverage,
];
