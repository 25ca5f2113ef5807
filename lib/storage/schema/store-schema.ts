import { createHash } from 'node:crypto';
import { quoteIdentifier } from '../../../migrations/quoting.js';

/** The qualified, quoted names of the store's tables in one schema, and the channel its nodes listen on. */
export class StoreSchema {
  readonly schedule: string;
  readonly scheduleName: string;
  readonly fireRequest: string;
  readonly run: string;
  readonly backfill: string;
  readonly hold: string;
  readonly seed: string;
  readonly audit: string;
  readonly store: string;
  readonly node: string;
  /** A channel is global to the database and at most 63 bytes, so that it carries the schema's hash. */
  readonly channel: string;

  constructor(readonly name: string) {
    const inSchema = quoteIdentifier(name);
    this.schedule = `${inSchema}.crn_schedule`;
    this.scheduleName = `${inSchema}.crn_schedule_name`;
    this.fireRequest = `${inSchema}.crn_fire_request`;
    this.run = `${inSchema}.crn_run`;
    this.backfill = `${inSchema}.crn_backfill`;
    this.hold = `${inSchema}.crn_hold`;
    this.seed = `${inSchema}.crn_seed`;
    this.audit = `${inSchema}.crn_audit`;
    this.store = `${inSchema}.crn_store`;
    this.node = `${inSchema}.crn_node`;
    this.channel = `crn_wake_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  }
}
