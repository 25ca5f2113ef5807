import { StoreClock } from '../../../lib/storage/index.js';

/** The store's time as the test's database tells it: the server's clock, moved by what the test says. */
export class ClusterClock extends StoreClock {
  readonly nowSql = 'public.cluster_now()';
}
