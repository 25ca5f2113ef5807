import { AuditTrail } from './audit/audit-trail.js';
import { Backfills } from './changing/backfills.js';
import { DefaultScheduleSeeder } from './seeding/default-schedule.seeder.js';
import { Environments } from './environments.js';
import { ExpiredPauses } from './upkeep/expired-pauses.js';
import { Holds } from './changing/holds.js';
import { JobCoverage } from './upkeep/job-coverage.js';
import { LiveJobs } from './upkeep/live-jobs.js';
import { ManualFires } from './changing/manual-fires.js';
import { Mutations } from './changing/mutations.js';
import { RunCancellation } from './changing/run-cancellation.js';
import { ScheduleEditor } from './changing/schedule-editor.js';
import { ScheduleReader } from './reading/schedule-reader.js';
import { StoreReader } from './reading/store-reader.js';
import { UpcomingFiresReader } from './reading/upcoming-fires.js';
import { ZoneRulesKeeper } from './upkeep/zone-rules.keeper.js';

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
