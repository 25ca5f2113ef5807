import type { Check } from './evidence.js';
import {
  effectsAreThereOnce,
  eventsAgreeWithTheJournal,
  handlersAgreeWithTheJournal,
  handlersDoNotOverlap,
  outcomesAreTrue,
} from './handlers.check.js';
import {
  fencesGrow,
  holdsAreKept,
  pausesAreKept,
  policiesAreKept,
  repetitionsAreOwed,
  repetitionsAreTheSame,
  runsEndOnce,
} from './lifecycle.check.js';
import { nothingIsEarly, occurrencesAreAccountedFor } from './occurrences.check.js';
import { keysAreOneFire, operationsAreOnRecord, versionsAreOnRecord } from './operations.check.js';
import {
  backfillsAreCounted,
  nothingIsLeftOver,
  requestsBecomeRuns,
  runsAreUnique,
  runsHaveCauses,
} from './requests.check.js';

/** Everything that must hold whatever happens to nodes, connections and the server. */
export const CHECKS: readonly Check[] = [
  occurrencesAreAccountedFor,
  nothingIsEarly,
  requestsBecomeRuns,
  runsHaveCauses,
  runsAreUnique,
  nothingIsLeftOver,
  backfillsAreCounted,
  runsEndOnce,
  repetitionsAreOwed,
  repetitionsAreTheSame,
  policiesAreKept,
  fencesGrow,
  pausesAreKept,
  holdsAreKept,
  handlersAgreeWithTheJournal,
  outcomesAreTrue,
  effectsAreThereOnce,
  handlersDoNotOverlap,
  eventsAgreeWithTheJournal,
  operationsAreOnRecord,
  versionsAreOnRecord,
  keysAreOneFire,
];
